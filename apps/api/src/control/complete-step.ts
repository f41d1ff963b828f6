import {
  canonicalJson,
  didYouMean,
  isFinal,
  type Answer,
  type Json,
  type Problem,
  type Step,
  type Tool,
} from '@errand/contracts';
import { openWaits, type OpenWait } from '@errand/protocol';
import { Definitions, giveAnswer, Queues, readAnswers, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { findInvocation } from '../http/find-invocation.js';
import { ProblemError } from '../http/problem-error.js';
import type { RequestScope } from '../http/request-scope.js';
import { AnswerChecks } from './answer-checks.js';
import { withStoredWaits } from './stored-waits.js';

/** An answer from a person or another program. */
interface StepAnswer {
  scope: RequestScope;
  /** The id of the invocation. */
  id: string;
  /** The number of the step. */
  index: number;
  /** The node that waits. It is required if several nodes of the step wait. */
  nodeId?: string;
  answer: Answer;
}

/** The step or node that an answer is for. */
type AnswerTarget = Omit<OpenWait, 'waiting'> & Partial<Pick<OpenWait, 'waiting'>>;

/** Stores the answer to a step or node that waits for it, or that will wait. The same answer may come again. */
@Injectable()
export class CompleteStep {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly checks: AnswerChecks,
  ) {}

  /** @throws ProblemError that says what waits, or why nothing waits */
  async complete(given: StepAnswer): Promise<StoredInvocation> {
    const store = await this.prepare(given);
    await store();
    return findInvocation(this.queues, given.scope.reach, given.id);
  }

  /**
   * Checks an answer and returns how to store it. A request with several answers checks all of them before it stores the first.
   * @throws ProblemError that says what waits, or why nothing waits
   */
  async prepare(given: StepAnswer): Promise<() => Promise<void>> {
    const invocation = await findInvocation(this.queues, given.scope.reach, given.id);
    const shown = invocation.steps[given.index] ?? noStep(invocation, given.index);
    const step = await withStoredWaits(this.queues, invocation, shown);
    const { waiting } = step;
    if (waiting?.for === 'answer' && waiting.invocationId !== undefined) {
      // A turn waits for the same answer as the invocation that runs its calls.
      return this.prepare({ ...given, id: waiting.invocationId, index: waiting.step ?? 0 });
    }
    const wait = chooseWait(openWaits(step), given);
    if (wait?.waiting.invocationId !== undefined) {
      // A node waits for the same answer as the turn that runs for it.
      const { invocationId: below, step: index = 0 } = wait.waiting;
      return this.prepare({ scope: given.scope, answer: given.answer, id: below, index });
    }
    if (!wait && (await this.wasGivenBefore(given))) return async () => {};
    const target = wait ?? futureWait(invocation, step, given);
    if (!target) throw new ProblemError('conflict', notWaiting(invocation, step, given.nodeId));
    const tool = await this.toolOf(invocation, target, given.index);
    requireFirst(invocation, step, tool);
    await this.requireValidResult(target, tool, given);
    return () => this.store(target, given);
  }

  private async store({ field, nodeId }: AnswerTarget, { scope, id, answer }: StepAnswer): Promise<void> {
    const outcome = await giveAnswer(
      this.queues,
      { reach: scope.reach, id, field },
      { answer, ...(nodeId !== undefined && { nodeId }) },
    );
    if (outcome === 'other') throw otherAnswerError();
    if (outcome === 'ended') throw new ProblemError('conflict', 'The invocation has ended and takes no answer');
  }

  /** Whether the same answer was stored before. @throws ProblemError if another answer was stored */
  private async wasGivenBefore({ id, index, nodeId, answer }: StepAnswer): Promise<boolean> {
    const all = [...(await readAnswers(this.queues, id))];
    const earlier = all.filter(
      ([field, stored]) =>
        (field === `${index}` || field.startsWith(`${index}/`)) &&
        (nodeId === undefined || isOf(nodeId, stored.nodeId)),
    );
    if (earlier.some(([, stored]) => canonicalJson(stored.answer) === canonicalJson(answer))) return true;
    if (earlier.length === 0) return false;
    throw otherAnswerError();
  }

  /** The tool of the step as it was accepted, or the tool that the node calls. */
  private async toolOf(
    { record }: StoredInvocation,
    { nodeId, asker }: AnswerTarget,
    index: number,
  ): Promise<Tool | undefined> {
    if (nodeId !== undefined) return this.registry.find(asker);
    const call = record.calls[index];
    return call && (await this.definitions.get(call.digest)).tool;
  }

  /** @throws ProblemError if the result does not fit the schema of the wait; the wait then goes on */
  private async requireValidResult(
    target: AnswerTarget,
    tool: Tool | undefined,
    { answer, scope }: StepAnswer,
  ): Promise<void> {
    if (!('result' in answer)) return;
    const { asker, nodeId } = target;
    const problems = await this.problemsOf(answer.result, target, tool, scope.tenant);
    if (problems.length === 0) return;
    const errors: Problem[] = problems.map((problem) => ({ ...problem, path: `/result${problem.path}` }));
    const detail = errors.map(({ message }) => message).join('; ');
    const isNode = tool?.kind !== 'external';
    const what = isNode ? `the schema of node '${nodeId}' (${asker})` : `the output of ${asker}`;
    throw new ProblemError('invalid_parameters', `The result does not fit ${what}: ${detail}`, { errors });
  }

  /** The operator has written the output of an external tool. A caller can have written another schema, which a thread checks. */
  private async problemsOf(
    result: Json,
    { nodeId, waiting }: AnswerTarget,
    tool: Tool | undefined,
    tenant: string,
  ): Promise<Problem[]> {
    const isExternal = tool?.kind === 'external';
    if (isExternal && nodeId === undefined) return this.registry.validateOutput(tool, result);
    if (waiting?.schema !== undefined) return this.checks.problemsOf(result, waiting.schema, tenant);
    return isExternal ? this.registry.validateOutput(tool, result) : [];
  }
}

/** A call with `effects: once` waits for the first equal call of its session and takes no answer before that has ended. */
function requireFirst({ record }: StoredInvocation, { index, waiting }: Step, tool: Tool | undefined): void {
  if (tool?.effects !== 'once' || record.session === undefined || waiting?.for !== 'invocation') return;
  const first = waiting.invocationId;
  throw new ProblemError('conflict', `Step ${index} (${tool.toolId}) takes no answer before ${first} has ended`);
}

/** The wait that the answer is for. @throws ProblemError if it could be for several */
function chooseWait(waits: readonly OpenWait[], { nodeId }: StepAnswer): OpenWait | undefined {
  const meant = nodeId === undefined ? waits : waits.filter((wait) => isOf(nodeId, wait.nodeId));
  if (meant.length <= 1) return meant[0];
  const names = meant
    .flatMap((wait) => wait.nodeId ?? [])
    .toSorted()
    .join(', ');
  throw new ProblemError('invalid_request', `Several nodes wait for an answer; name one of them in nodeId: ${names}`, {
    errors: [{ path: '/nodeId', message: `must be one of ${names}` }],
  });
}

function futureWait(invocation: StoredInvocation, step: Step, { nodeId }: StepAnswer): AnswerTarget | undefined {
  return nodeId === undefined && willWait(invocation, step)
    ? { field: `${step.index}`, asker: step.toolId }
    : undefined;
}

/** The answer to an external tool may come before its step waits: the submitter knows the number of the step. */
function willWait({ record }: StoredInvocation, { index, status }: Step): boolean {
  return record.calls[index]?.kind === 'external' && !isFinal(status);
}

/** A tool that a node calls waits under the name of the call, which begins with the name of the node. */
function isOf(wanted: string, nodeId: string | undefined): boolean {
  return nodeId === wanted || (nodeId?.startsWith(`${wanted}:`) ?? false);
}

function notWaiting(invocation: StoredInvocation, step: Step, nodeId: string | undefined): string {
  const name = `Step ${step.index} (${step.toolId})`;
  if (willWait(invocation, step)) return `${name} takes an answer for the whole step: leave nodeId out`;
  const waiting = openWaits(step).flatMap((wait) => wait.nodeId ?? []);
  if (nodeId === undefined || waiting.length === 0) return `${name} waits for no answer: it is ${step.status}`;
  const suggestion = didYouMean(nodeId, waiting);
  const hint = suggestion ? `, did you mean '${suggestion}'?` : `: ${waiting.join(', ')} does`;
  return `No node '${nodeId}' of step ${step.index} waits for an answer${hint}`;
}

function otherAnswerError(): ProblemError {
  return new ProblemError(
    'conflict',
    'The wait is answered already: another answer was stored before, and each wait takes one answer',
  );
}

function noStep({ steps }: StoredInvocation, index: number): never {
  const range = steps.length === 1 ? 'it has one step, 0' : `its steps are 0 to ${steps.length - 1}`;
  throw new ProblemError('not_found', `The invocation has no step ${index}: ${range}`);
}
