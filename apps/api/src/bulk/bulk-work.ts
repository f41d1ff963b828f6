import type { ProblemCode } from '@errand/contracts';
import {
  cancelInvocation,
  cancelWaiting,
  Queues,
  readDeliveries,
  readInvocation,
  redeliver,
  type BulkPart,
  type BulkProgress,
  type TakenBulk,
} from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { RetryInvocation } from '../control/retry-invocation.js';
import { toProblem } from '../http/problem.filter.js';
import type { RequestScope } from '../http/request-scope.js';
import { nextMatches } from './bulk-matches.js';

/** The invocations of one part, and how many of them are dealt with at the same time. */
const PART = 200;
const AT_ONCE = 25;
/** These concern the server and not the invocation: the part is done again later. */
const PASSING: readonly ProblemCode[] = ['queue_full', 'unavailable', 'rate_limited'];

/** The work of a bulk action on its invocations. A part may be done twice after a crash: each invocation is dealt with once all the same. */
@Injectable()
export class BulkWork {
  constructor(
    private readonly queues: Queues,
    private readonly retryInvocation: RetryInvocation,
  ) {}

  /** The part to deal with: the one that a process has begun, or the next. @throws any error that concerns the server */
  async nextPart({ tenant, plan, position, begun }: TakenBulk): Promise<BulkPart> {
    if (begun) return begun;
    const { matches, next } = await nextMatches(this.queues, tenant, plan, { limit: PART, after: position });
    return { ids: matches.map(({ id }) => id), ...(next !== undefined && { next }) };
  }

  /**
   * Deals with a part, as long as it may go on.
   * @throws any error that concerns the server: the part is done again later
   */
  async dealWith(bulk: TakenBulk, { ids: all, next }: BulkPart, mayGoOn: () => boolean): Promise<BulkProgress> {
    const progress: BulkProgress = { done: 0, skipped: 0, failed: [], ...(next !== undefined && { next }) };
    for (let from = 0; from < all.length; from += AT_ONCE) {
      if (!mayGoOn()) break;
      const ids = all.slice(from, from + AT_ONCE);
      const cancelled = await this.cancelAtOnce(bulk, ids);
      progress.done += cancelled.size;
      await Promise.all(
        ids.map(async (id) => {
          if (cancelled.has(id)) return;
          const outcome = await this.deal(bulk, id);
          if (outcome === 'done' || outcome === 'skipped') progress[outcome] += 1;
          else progress.failed.push({ id, code: outcome });
        }),
      );
    }
    return progress;
  }

  /** Cancels those that wait. Those that do not, or have more to end, are dealt with one by one. */
  private async cancelAtOnce({ tenant, id, plan }: TakenBulk, ids: readonly string[]): Promise<Set<string>> {
    return plan.action === 'cancel' ? cancelWaiting(this.queues, tenant, ids, reasonOf(id)) : new Set();
  }

  private async deal(bulk: TakenBulk, id: string): Promise<'done' | 'skipped' | ProblemCode> {
    try {
      return await this.act(bulk, id);
    } catch (error) {
      const { code } = toProblem(error);
      if (PASSING.includes(code)) throw error;
      return code === 'not_found' ? 'skipped' : code;
    }
  }

  private async act({ tenant, id: bulk, plan }: TakenBulk, id: string): Promise<'done' | 'skipped' | ProblemCode> {
    const { action } = plan;
    if (action === 'cancel') {
      const outcome = await cancelInvocation(this.queues, tenant, id, reasonOf(bulk));
      if (outcome === 'cancelled' || outcome === 'cancelling') return 'done';
      return (await this.wasCancelledBy(bulk, tenant, id)) ? 'done' : 'skipped';
    }
    if (action === 'retry') {
      const scope: RequestScope = { tenant, reach: tenant, showsTenant: false };
      await this.retryInvocation.retry(id, {}, { scope, idempotencyKey: `${bulk}.${id}` });
      return 'done';
    }
    const last = (await readDeliveries(this.queues, id)).at(-1);
    if (last?.status !== 'failed') return 'skipped';
    const delivery = await redeliver(this.queues, id, last.index);
    if (delivery === 'exhausted') return 'conflict';
    return delivery === undefined || delivery === 'waiting' ? 'skipped' : 'done';
  }

  /** Whether this action has cancelled it in a part that a crash interrupted. */
  private async wasCancelledBy(bulk: string, tenant: string, id: string): Promise<boolean> {
    const error = (await readInvocation(this.queues, tenant, id))?.error;
    return error?.type === 'CancelledError' && error.details?.['reason'] === reasonOf(bulk);
  }
}

/** The reason that a cancelled invocation shows. */
function reasonOf(bulk: string): string {
  return `bulk action ${bulk}`;
}
