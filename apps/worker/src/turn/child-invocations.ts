import { Inject, Injectable } from '@nestjs/common';
import { isFinal, signalWithin, ToolError, type Waiting } from '@errand/contracts';
import { Suspended } from '@errand/engine';
import { openWaits } from '@errand/protocol';
import {
  addWaiter,
  NotificationHub,
  Queues,
  readOpen,
  readWholeInvocation,
  recordChild,
  submitInvocations,
  type InvocationRecord,
  type StoredInvocation,
} from '@errand/queue';
import type { StepContext } from '../steps/step-context.js';

/** A shorter wait stays in the process, without a slot, because to suspend and resume the invocation costs more. */
const IN_PLACE_MS = 2_000;

/** Suspends a step until an invocation that runs for it ends, or until that invocation begins or ends a wait for an answer. */
export class SuspendedForChild extends Suspended {
  constructor(readonly waiting: Waiting) {
    super(undefined, waiting.for === 'answer');
  }
}

type Waiter = Pick<StepContext, 'work' | 'signal'>;

/** Invocations that run for a step of another invocation: the calls of a turn. */
@Injectable()
export class ChildInvocations {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(NotificationHub) private readonly notifications: NotificationHub,
  ) {}

  /**
   * Enqueues a child. A child that exists stays as it is, so that a repeated request runs it once. It is recorded first, so that a cancel
   * of its parent finds it.
   */
  async request(parent: string, id: string, record: InvocationRecord): Promise<void> {
    // Redis runs the two commands in this order.
    const recorded = recordChild(this.queues, parent, { id, queue: 'invocations' });
    const submitted = submitInvocations(this.queues, [{ queue: 'invocations', id, record }]);
    const [, [accepted]] = await Promise.all([recorded, submitted]);
    if (accepted instanceof Error) throw new ToolError('ServiceError', accepted.message);
  }

  /** Undefined if it was not enqueued yet. */
  read({ work }: Pick<Waiter, 'work'>, id: string): Promise<StoredInvocation | undefined> {
    return readWholeInvocation(this.queues, work.record.tenant, id);
  }

  /**
   * Waits for the end of a child: first in the process, then suspended.
   * @param onWait called before the suspension with the child as it is
   * @throws SuspendedForChild
   */
  async waitForEnd(
    { work, signal }: Waiter,
    id: string,
    onWait: (child: StoredInvocation) => Promise<void>,
  ): Promise<StoredInvocation> {
    const limit = signalWithin(signal, IN_PLACE_MS);
    await work.withoutSlot(this.notifications.until(id, limit, () => this.isAtRest(id)));
    for (;;) {
      signal.throwIfAborted();
      const child = await this.readExisting(work.record.tenant, id);
      if (isFinal(child.status)) return child;
      await onWait(child);
      await addWaiter(this.queues, id, work.id);
      // From now on, a change resumes this invocation. A change just before is seen by reading once more.
      const last = await this.readExisting(work.record.tenant, id);
      if (isFinal(last.status)) return last;
      if (last.status === child.status) throw new SuspendedForChild(waitingFor(last));
    }
  }

  /** Resolves when a child has ended, or when it begins or ends a wait for an answer. @param waits whether it waits for one now */
  async untilChanged(id: string, waits: boolean, signal: AbortSignal): Promise<void> {
    await this.notifications.until(id, signal, async () => {
      const open = await readOpen(this.queues, id);
      return !open || (open.lastStatus === 'waiting_external') !== waits ? true : undefined;
    });
  }

  /** Whether the child has ended or waits for an answer. One command. */
  private async isAtRest(id: string): Promise<true | undefined> {
    const open = await readOpen(this.queues, id);
    return !open || open.lastStatus === 'waiting_external' ? true : undefined;
  }

  private async readExisting(tenant: string, id: string): Promise<StoredInvocation> {
    const child = await readWholeInvocation(this.queues, tenant, id);
    if (child) return child;
    throw new ToolError('LostError', `The invocation ${id}, which runs the calls of this turn, was removed`);
  }
}

/** What a turn waits for while its child is open. An answer goes to the step of the child. */
function waitingFor({ id, status, steps }: StoredInvocation): Waiting {
  const [open] = status === 'waiting_external' ? steps.flatMap((step) => openWaitsOf(step)) : [];
  if (!open) return { for: 'invocation', invocationId: id, until: null };
  return { ...open.waiting, invocationId: open.waiting.invocationId ?? id, step: open.waiting.step ?? open.step };
}

function openWaitsOf(step: StoredInvocation['steps'][number]) {
  return openWaits(step).map(({ waiting }) => ({ waiting, step: step.index }));
}
