import { toA2aTask, turnOf, type A2aTask, type Turn, type TurnFile } from '@errand/agents';
import type { Round, Waiting } from '@errand/contracts';
import { ReadableTextFilter } from '@errand/protocol';
import {
  cancelInvocation,
  listInvocations,
  countInvocations,
  Queues,
  readInvocation,
  readWholeInvocation,
  type InvocationQuery,
  type StoredInvocation,
} from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { findInvocation } from '../http/find-invocation.js';
import { ProblemError } from '../http/problem-error.js';
import { toolOf, type A2aCaller } from './a2a-caller.js';

export interface TaskView {
  historyLength?: number | undefined;
  withArtifacts?: boolean;
  /** A wait that has got its answer: the task works on. */
  answered?: Waiting | undefined;
}

/** Reads turns of agents as tasks, and cancels them. */
@Injectable()
export class A2aTasks {
  constructor(private readonly queues: Queues) {}

  /** The turn of this agent. @throws ProblemError not_found, also for a task of another agent or tenant */
  async find(caller: A2aCaller, id: string): Promise<StoredInvocation> {
    const found = await findInvocation(this.queues, caller.scope.reach, id).catch((error: unknown) => {
      throw error instanceof ProblemError && error.code === 'not_found' ? noTask(caller, id) : error;
    });
    if (!isTurnOf(caller, found)) throw noTask(caller, id);
    return found;
  }

  async read(caller: A2aCaller, invocation: StoredInvocation, view: TaskView = {}): Promise<A2aTask> {
    const turn = await this.turnOf(caller, invocation);
    const { answered, ...options } = view;
    const isAnswered = answered !== undefined && isSameWait(turn.waiting, answered);
    const shown: Turn = isAnswered ? { ...turn, status: 'running', waiting: undefined } : turn;
    return toA2aTask(shown, { ...options, readable });
  }

  /** The turn with its whole result and the files of its children. */
  async turnOf(caller: A2aCaller, invocation: StoredInvocation): Promise<Turn> {
    const isCut = invocation.resultTruncated === true;
    const whole = isCut ? await readWholeInvocation(this.queues, caller.scope.reach, invocation.id) : undefined;
    const rounds = invocation.steps[0]?.rounds ?? [];
    const files = await Promise.all(rounds.map((round) => this.filesOf(caller, round)));
    return turnOf(whole ?? invocation, files.flat());
  }

  /** @throws ProblemError not_cancellable if the task has ended */
  async cancel(caller: A2aCaller, { id, status }: StoredInvocation): Promise<void> {
    const outcome = await cancelInvocation(this.queues, caller.scope.reach, id, undefined);
    if (outcome === undefined) throw noTask(caller, id);
    if (outcome === 'ended') throw new ProblemError('not_cancellable', `The task has ended already: it is ${status}`);
  }

  /** A page of the tasks of this agent, newest first, and the number of all of them. */
  async list(caller: A2aCaller, query: InvocationQuery, page: { limit: number; after?: string | undefined }) {
    const sought = { ...query, toolId: toolOf(caller) };
    const { tenant } = caller.scope;
    const [{ items, next }, { value }] = await Promise.all([
      listInvocations(this.queues, tenant, sought, { ...page, details: true }),
      countInvocations(this.queues, tenant, sought),
    ]);
    return { items: items.filter((item) => isTurnOf(caller, item)), next, count: value };
  }

  private async filesOf({ scope, base }: A2aCaller, { invocationId: id }: Round): Promise<TurnFile[]> {
    if (id === undefined) return [];
    const child = await readInvocation(this.queues, scope.reach, id);
    return (child?.artifacts ?? []).map(({ name, contentType, step }) => ({
      id: `${id}/${step}/${name}`,
      name,
      contentType,
      url: `${base}/v1/invocations/${id}/artifacts/${encodeURIComponent(name)}?step=${step}`,
    }));
  }
}

/** Whether the invocation is a turn of this agent: one call of its tool. */
function isTurnOf(caller: A2aCaller, { record: { calls, parent } }: StoredInvocation): boolean {
  return calls.length === 1 && parent === undefined && calls[0]?.toolId === toolOf(caller);
}

/** Whether these are one wait for an answer. */
export function isSameWait(one: Waiting | undefined, other: Waiting): boolean {
  const { invocationId, step, key } = other;
  return one?.invocationId === invocationId && one?.step === step && one?.key === key;
}

function readable(text: string): string {
  return new ReadableTextFilter().push(text);
}

function noTask({ agent }: A2aCaller, id: string): ProblemError {
  return new ProblemError(
    'not_found',
    `The agent ${agent} has no task ${id.slice(0, 80)}; retention may have removed it`,
  );
}
