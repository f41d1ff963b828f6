import { TaskUpdates, type A2aUpdate, type TaskEvent } from '@errand/agents';
import { isFinal, type Status, type Waiting } from '@errand/contracts';
import { Queues, readEvents, readLastEvent, type StoredInvocation } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import type { OnDisconnect } from '../stream/patience.js';
import { InvocationWatcher } from '../stream/wait-for-invocation.js';
import type { A2aCaller } from './a2a-caller.js';
import { A2aTasks, isSameWait, type TaskView } from './a2a-tasks.js';

const PAGE = 500;
/** The longest wait for a task, in ms. */
const MAX_WAIT_MS = 60_000;

interface FollowView extends TaskView {
  /** The client knows that the task waits: the stream goes on after the answer. */
  isSubscription?: boolean;
}

/** Follows a task: the task as it is, then its updates, until it ends or waits for another answer. */
@Injectable()
export class FollowTask {
  constructor(
    private readonly tasks: A2aTasks,
    private readonly watcher: InvocationWatcher,
    private readonly queues: Queues,
  ) {}

  /** The answer that was sent so far is an artifact of the first task. Each later chunk appends to it. */
  async *follow(
    caller: A2aCaller,
    id: string,
    { answered, historyLength, isSubscription = false }: FollowView = {},
  ): AsyncGenerator<A2aUpdate, void, undefined> {
    // Read the events before the task: no status of the task can then be missed, and one that comes twice is dropped.
    const number = (await readLastEvent(this.queues, id))?.number ?? 0;
    const invocation = await this.tasks.find(caller, id);
    const { updates, task } = await this.taskAt(caller, invocation, number, { answered, historyLength });
    yield { task };
    const known = isSubscription ? invocation.steps[0]?.waiting : answered;
    if (isAtRest(invocation, known)) return;
    for await (const { event, rested } of this.changes(caller, { id, number, known })) {
      if (event) yield* updates.take(event);
      if (!rested) continue;
      yield* updates.rest(await this.tasks.turnOf(caller, rested));
      return;
    }
  }

  /** The task as soon as it has ended or waits for another answer than the known one, or as it is after a minute. */
  async untilRest(caller: A2aCaller, id: string, known?: Waiting): Promise<StoredInvocation> {
    let timer: NodeJS.Timeout | undefined;
    const onDisconnect: OnDisconnect = (abort) => {
      timer = setTimeout(abort, MAX_WAIT_MS);
      return caller.onDisconnect(abort);
    };
    try {
      const number = (await readLastEvent(this.queues, id))?.number ?? 0;
      for await (const { rested } of this.changes({ ...caller, onDisconnect }, { id, number, known })) {
        if (rested) return rested;
      }
      return await this.tasks.find(caller, id);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The events of a task after this number, and its turn when it has ended or waits for another answer than the known one. */
  private async *changes(
    caller: A2aCaller,
    { id, number, known }: { id: string; number: number; known: Waiting | undefined },
  ): AsyncGenerator<{ event?: TaskEvent | undefined; rested?: StoredInvocation | undefined }> {
    const target = { scope: caller.scope, id, alone: true };
    for await (const item of this.watcher.stream(target, { number }, caller.onDisconnect)) {
      if (item.kind !== 'event') continue;
      const rested = isRest(item.event, item.data) ? await this.restOf(caller, id, known) : undefined;
      yield { event: readEvent(item.event, item.data), rested };
    }
  }

  /** The task with the text of its first `number` events, and the translation that goes on from there. */
  private async taskAt(caller: A2aCaller, invocation: StoredInvocation, number: number, view: TaskView) {
    const task = await this.tasks.read(caller, invocation, view);
    const updates = new TaskUpdates({ id: task.id, contextId: task.contextId });
    for await (const event of this.textsUpTo(invocation.id, number)) updates.take(event);
    updates.begin(view.answered ? 'running' : invocation.status);
    const begun = isFinal(invocation.status) ? undefined : updates.begun;
    return { updates, task: begun ? { ...task, artifacts: [begun, ...task.artifacts] } : task };
  }

  private async *textsUpTo(id: string, number: number): AsyncGenerator<TaskEvent> {
    for (let after = 0; after < number;) {
      const page = await readEvents(this.queues, id, after, PAGE);
      for (const { event, number: own } of page) {
        if (own <= number && (event.event === 'text' || event.event === 'discard')) yield event;
      }
      after = page.at(-1)?.number ?? number;
    }
  }

  /** The turn if it has ended, or waits for another answer than the known one. */
  private async restOf(
    caller: A2aCaller,
    id: string,
    known: Waiting | undefined,
  ): Promise<StoredInvocation | undefined> {
    const found = await this.tasks.find(caller, id);
    return isAtRest(found, known) ? found : undefined;
  }
}

/** Whether the turn has ended, or waits for another answer than the known one. */
function isAtRest({ status, steps }: StoredInvocation, known: Waiting | undefined): boolean {
  if (status !== 'waiting_external') return isFinal(status);
  return known === undefined || !isSameWait(steps[0]?.waiting, known);
}

/** The event of a stream that makes an update by itself. */
function readEvent(event: string, data: string): TaskEvent | undefined {
  if (event === 'text' || event === 'discard') return { event, ...JSON.parse(data) } as TaskEvent;
  if (event !== 'status') return undefined;
  const { status, at } = JSON.parse(data) as { status: Status; at: string };
  return status === 'queued' || status === 'running' ? { event, status, at } : undefined;
}

/** Whether the turn may have ended, or may wait for an answer. */
function isRest(event: string, data: string): boolean {
  return (
    event === 'end' || (event === 'status' && (JSON.parse(data) as { status: Status }).status === 'waiting_external')
  );
}
