import type { AguiResume, AguiToolAnswer } from '@errand/agents';
import { canonicalJson, isFinal, type Answer } from '@errand/contracts';
import {
  beginRun,
  leaveOpen,
  newestTurns,
  Queues,
  readAnswers,
  readByDigest,
  readInvocation,
  readLastEvent,
  takenIds,
  type RecordedRun,
  type StoredInvocation,
} from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { CompleteStep } from '../control/complete-step.js';
import { ProblemError } from '../http/problem-error.js';
import { findPlaces, type AnswerPlace } from './answer-places.js';
import { nameOf, refusedInStream, type RunRequest, type RunView } from './run-view.js';

/** One answer of a request, to a call of a client tool or to an interrupt. */
interface GivenAnswer {
  id: string;
  kind: 'call' | 'interrupt';
  answer: Answer;
  toolName?: string;
}

/** An answer and the place that takes it. */
interface PlacedAnswer extends GivenAnswer {
  place: AnswerPlace;
}

/** The turn that waits, and the answers for it. */
interface Placed {
  turn: StoredInvocation;
  places: AnswerPlace[];
  answers: PlacedAnswer[];
}

/** Turns of a conversation that may be open: one runs or waits, and the others are queued behind it. */
const MAX_TURNS = 20;

/** Gives the answers of a request to the turn that waits for them. All are checked before the first is stored. */
@Injectable()
export class AnswerTurn {
  constructor(
    private readonly completeStep: CompleteStep,
    private readonly queues: Queues,
  ) {}

  /** The run that goes on behind the answers, or the reason why the turn is untouched. */
  async answer(request: RunRequest, tools: readonly AguiToolAnswer[], resume: readonly AguiResume[]): Promise<RunView> {
    const given = toGiven(tools, resume);
    return refusedInStream(undefined, async () => {
      const placed = await this.place(request, given);
      const earlier = await this.earlierRun(request, given);
      if (earlier) return this.repeat(request, earlier);
      if (!placed) throw unknownWait('call', given[0]?.id ?? '', undefined);
      return refusedInStream(placed.turn.id, () => this.give(request, placed));
    });
  }

  /** Continues a recorded run: gives its answers, unless that has been done, and shows what follows. */
  async resume(request: RunRequest, run: RecordedRun): Promise<RunView> {
    const { intent } = request;
    if (run.left !== undefined || intent.kind !== 'answers') return viewOf(run);
    return refusedInStream(run.turn, async () => {
      const placed = await this.place(request, toGiven(intent.tools, intent.resume));
      return placed ? this.store(request, placed, await this.prepare(request, placed.answers), run) : viewOf(run);
    });
  }

  private async give(request: RunRequest, placed: Placed): Promise<RunView> {
    const name = nameOf(request);
    const { turn, places, answers } = placed;
    const stores = await this.prepare(request, answers);
    const open = places.filter(({ answered }) => !answered).map(({ id, client }) => ({ id, client }));
    const after = (await readLastEvent(this.queues, turn.id))?.number ?? 0;
    const taken = answers.map(({ kind, id }) => takenAnswer(kind, id));
    const run = { input: request.digest, turn: turn.id, after };
    return this.store(request, placed, stores, await beginRun(this.queues, name, run, { open, taken }));
  }

  private prepare(request: RunRequest, answers: readonly PlacedAnswer[]): Promise<(() => Promise<void>)[]> {
    return Promise.all(answers.map((answer) => this.completeStep.prepare(this.completion(request, answer))));
  }

  /** Stores all answers. What is left is read after that: of two requests at once, the later one then sees that nothing is left. */
  private async store(
    request: RunRequest,
    { turn, answers }: Placed,
    stores: readonly (() => Promise<void>)[],
    run: RecordedRun,
  ): Promise<RunView> {
    for (const store of stores) await store();
    const latest = await readInvocation(this.queues, request.scope.tenant, turn.id);
    const places = latest ? await findPlaces(this.queues, request.scope.tenant, latest) : [];
    const given = new Set(answers.map(({ id }) => id));
    const left = places
      .filter(({ id, answered }) => !answered && !given.has(id))
      .map(({ id, client }) => ({ id, client }));
    await leaveOpen(this.queues, nameOf(request), left);
    return viewOf({ ...run, left });
  }

  private completion({ scope }: RunRequest, { place, answer }: PlacedAnswer) {
    const { invocationId, step, nodeId } = place;
    const reach = { ...scope, reach: scope.tenant };
    return { scope: reach, id: invocationId, index: step, answer, ...(nodeId !== undefined && { nodeId }) };
  }

  /** The turn that waits for the answers. Undefined if earlier runs have given all of them. @throws ProblemError */
  private async place(request: RunRequest, given: readonly GivenAnswer[]): Promise<Placed | undefined> {
    const { tenant } = request.scope;
    for (const id of await newestTurns(this.queues, nameOf(request), MAX_TURNS)) {
      const turn = await readInvocation(this.queues, tenant, id);
      if (!turn || isFinal(turn.status)) continue;
      const places = await findPlaces(this.queues, tenant, turn);
      const own = new Map(places.map((place) => [place.id, place]));
      const open = given.filter((answer) => own.has(answer.id));
      if (open.length === 0) continue;
      const others = given.filter((answer) => !own.has(answer.id));
      await this.requireTaken(request, turn, others);
      const answers = open.map((answer) => placedAt(answer, own.get(answer.id)));
      return { turn, places, answers: answers.flat() };
    }
    await this.requireTaken(request, undefined, given);
    return undefined;
  }

  /** Requires that an earlier run took these answers, and that they are the same. @throws ProblemError */
  private async requireTaken(request: RunRequest, turn: StoredInvocation | undefined, given: readonly GivenAnswer[]) {
    if (given.length === 0) return;
    const name = nameOf(request);
    const taken = await takenIds(
      this.queues,
      name,
      given.map(({ kind, id }) => takenAnswer(kind, id)),
    );
    for (const { kind, id, answer } of given) {
      const digest = taken.get(takenAnswer(kind, id));
      const run = digest === undefined ? undefined : await readByDigest(this.queues, name, digest);
      if (!run) throw unknownWait(kind, id, turn);
      await this.requireSame(name.tenant, run.turn, { kind, id, answer });
    }
  }

  /** Compares an answer with the one that is stored beside its step. @throws ProblemError conflict */
  private async requireSame(tenant: string, turnId: string, { kind, id, answer }: GivenAnswer): Promise<void> {
    const [invocationId = '', ...field] = kind === 'interrupt' ? id.split('/') : await this.fieldOf(tenant, turnId, id);
    const stored = (await readAnswers(this.queues, invocationId)).get(field.join('/'))?.answer;
    if (stored && canonicalJson(stored) !== canonicalJson(answer)) throw otherAnswer(id);
  }

  /** The invocation and the field that have the answer to a call. */
  private async fieldOf(tenant: string, turnId: string, callId: string): Promise<string[]> {
    const turn = await readInvocation(this.queues, tenant, turnId);
    for (const { calls, invocationId = '' } of turn?.steps[0]?.rounds ?? []) {
      const index = calls.findIndex((call) => call.callId === callId);
      if (index !== -1) return [invocationId, `${index}`];
    }
    return [];
  }

  /** The run that took all of these answers: the latest, if several did. Undefined if one of them is new. */
  private async earlierRun(request: RunRequest, given: readonly GivenAnswer[]): Promise<RecordedRun | undefined> {
    const name = nameOf(request);
    const taken = await takenIds(
      this.queues,
      name,
      given.map(({ kind, id }) => takenAnswer(kind, id)),
    );
    if (given.some(({ kind, id }) => !taken.has(takenAnswer(kind, id)))) return undefined;
    const digests = [...new Set(taken.values())];
    const runs = await Promise.all(digests.map((digest) => readByDigest(this.queues, name, digest)));
    return runs.filter((run) => run !== undefined).toSorted(byProgress)[0];
  }

  /** Shows a run that the same answers began, under the `runId` of the request. */
  private async repeat(request: RunRequest, { turn, after, left }: RecordedRun): Promise<RunView> {
    const name = nameOf(request);
    const run = await beginRun(this.queues, name, { input: request.digest, turn, after }, { taken: [] });
    if (left) await leaveOpen(this.queues, name, left);
    return this.resume(request, { ...run, ...(left && { left }) });
  }
}

/** The latest first; of two behind the same event, the one that left nothing open. */
function byProgress(a: RecordedRun, b: RecordedRun): number {
  return b.after - a.after || (a.left?.length ?? 0) - (b.left?.length ?? 0);
}

function viewOf({ turn, after, left = [] }: RecordedRun): RunView {
  return left.length > 0 ? { kind: 'left', turn, left } : { kind: 'turn', turn, after };
}

function toGiven(tools: readonly AguiToolAnswer[], resume: readonly AguiResume[]): GivenAnswer[] {
  return [
    ...tools.map(({ toolCallId, ...rest }) => ({ ...rest, id: toolCallId, kind: 'call' as const })),
    ...resume.map(({ interruptId, answer }) => ({ id: interruptId, kind: 'interrupt' as const, answer })),
  ];
}

/** @throws ProblemError if the answer is for another tool, or differs from the stored one. A stored answer is not given again. */
function placedAt(given: GivenAnswer, place: AnswerPlace | undefined): PlacedAnswer[] {
  if (!place) return [];
  const { id, toolName, answer } = given;
  if (toolName !== undefined && place.toolName !== undefined && toolName !== place.toolName) {
    const message = `The call ${shown(id)} is one of '${place.toolName}', not of '${shown(toolName)}'`;
    throw new ProblemError('invalid_request', message);
  }
  if (place.answered && canonicalJson(place.answered) !== canonicalJson(answer)) throw otherAnswer(id);
  return [{ ...given, place }];
}

function otherAnswer(id: string): ProblemError {
  return new ProblemError('conflict', `Another answer to ${shown(id)} was stored before; each wait takes one answer`);
}

function unknownWait(kind: GivenAnswer['kind'], id: string, turn: StoredInvocation | undefined): ProblemError {
  const what = kind === 'call' ? `call of a client tool ${shown(id)}` : `interrupt ${shown(id)}`;
  const hint = turn ? '' : '; no turn of this thread waits for it';
  return new ProblemError('not_found', `The thread has no open ${what}${hint}`);
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 80));
}

function takenAnswer(kind: GivenAnswer['kind'], id: string): string {
  return `${kind} ${id}`;
}
