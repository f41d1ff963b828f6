import { Inject, Injectable } from '@nestjs/common';
import { isFinal, type Round } from '@errand/contracts';
import {
  addWaiter,
  cancelInvocation,
  findPredecessor,
  Queues,
  readInvocation,
  type StoredInvocation,
} from '@errand/queue';
import { SuspendedForInvocation } from '../steps/await-invocation.js';
import { overtakenMessages } from './observe-round.js';
import type { Turn } from './turn.js';

const OVERTAKEN = 'A new message came before its client tools were answered';

/** Lets the turns of one session and agent run one after another. */
@Injectable()
export class TakeTurn {
  constructor(@Inject(Queues) private readonly queues: Queues) {}

  /**
   * Returns when no earlier turn is open. A turn that waits for tools of its caller does not hold up a new message: it is cancelled.
   * @throws SuspendedForInvocation while an earlier turn is open
   */
  async take(turn: Turn): Promise<void> {
    const { work } = turn.context;
    const { tenant } = work.record;
    for (;;) {
      const earlier = await findPredecessor(this.queues, turn.conversation, work.id);
      if (earlier === undefined) return;
      const found = await readInvocation(this.queues, tenant, earlier);
      if (!found || isFinal(found.status)) continue;
      // The end of a background call is no message of the caller, and waits.
      const open = work.record.awaits === undefined ? waitsForCaller(found) : undefined;
      if (open) await this.overtake(turn, found, open);
      const lookAgainAt = await addWaiter(this.queues, earlier, work.id);
      // From now on, its end resumes this turn. An end, or a wait for client tools, just before is seen by reading once more.
      const last = await readInvocation(this.queues, tenant, earlier);
      if (!last || isFinal(last.status) || (work.record.awaits === undefined && !open && waitsForCaller(last)))
        continue;
      throw new SuspendedForInvocation(earlier, lookAgainAt);
    }
  }

  /** The messages are stored first: with the cancelled turn, nobody else would write them. */
  private async overtake({ writer, conversation, context }: Turn, found: StoredInvocation, open: Round): Promise<void> {
    const isOwn = found.record.session === conversation.session;
    if (isOwn) await writer.commit({ messages: overtakenMessages(found.id, open) });
    await cancelInvocation(this.queues, context.work.record.tenant, found.id, OVERTAKEN);
  }
}

/** The round whose open calls only the caller of the turn can answer. */
function waitsForCaller({ status, steps }: StoredInvocation): Round | undefined {
  if (status !== 'waiting_external') return undefined;
  const rounds = steps.flatMap((step) => step.rounds?.at(-1) ?? []);
  return rounds.find(({ calls }) => calls.some((call) => call.client && !isFinal(call.status)));
}
