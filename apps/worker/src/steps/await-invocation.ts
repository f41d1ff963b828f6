import { Inject, Injectable } from '@nestjs/common';
import { isFinal, signalWithin, ToolError, type Json, type Step } from '@errand/contracts';
import { Suspended } from '@errand/engine';
import { addWaiter, Queues, readWholeInvocation, NotificationHub, type StoredInvocation } from '@errand/queue';
import type { StepContext } from './step-context.js';

/** A shorter wait stays in the process, because to suspend and resume the invocation costs more. */
const IN_PLACE_MS = 2_000;

type Waiter = Pick<StepContext, 'work' | 'signal'>;

/** Suspends a step until another invocation, or a step of it, has ended. */
export class SuspendedForInvocation extends Suspended {
  /** @param until when to look again by itself (ms since 1970); see `addWaiter` */
  constructor(
    readonly invocationId: string,
    until: number | undefined,
  ) {
    super(until, false);
  }
}

/** Waits for other invocations of the same tenant: first in the process, then suspended, without a slot. */
@Injectable()
export class AwaitInvocation {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(NotificationHub) private readonly notifications: NotificationHub,
  ) {}

  /**
   * The result of an invocation, for `{{job:<id>.path}}`.
   * @throws ToolError ParameterValidationError if the invocation does not exist or did not succeed; Suspended while it runs
   */
  async result(waiter: Waiter, id: string): Promise<Json> {
    const { status, result } = await this.until(waiter, id, (found) => {
      if (!found) throw new ToolError('ParameterValidationError', `There is no invocation ${id} to take a result from`);
      return isFinal(found.status) ? found : undefined;
    });
    if (status === 'succeeded') return result;
    throw new ToolError(
      'ParameterValidationError',
      `Invocation ${id} ${status === 'failed' ? 'failed' : 'was cancelled'}: it has no result`,
    );
  }

  /** The end of a step of an invocation; undefined if the invocation was removed. @throws Suspended while it runs */
  async stepEnd(waiter: Waiter, id: string, index: number): Promise<Step | undefined> {
    const { step } = await this.until(waiter, id, (found) => {
      const wanted = found?.steps[index];
      return !wanted || isFinal(wanted.status) ? { step: wanted } : undefined;
    });
    return step;
  }

  private async until<T>(
    { work, signal }: Waiter,
    id: string,
    select: (found: StoredInvocation | undefined) => T | undefined,
  ): Promise<T> {
    const read = async () => select(await readWholeInvocation(this.queues, work.record.tenant, id));
    const seen = await this.notifications.until(id, signalWithin(signal, IN_PLACE_MS), read);
    if (seen !== undefined) return seen;
    signal.throwIfAborted();
    const lookAgainAt = await addWaiter(this.queues, id, work.id);
    // From now on, a change resumes this invocation. A change just before is seen by reading once more.
    const last = await read();
    if (last !== undefined) return last;
    throw new SuspendedForInvocation(id, lookAgainAt);
  }
}
