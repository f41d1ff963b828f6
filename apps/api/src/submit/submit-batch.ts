import { newInvocationId } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import {
  claimKeys,
  Queues,
  readInvocation,
  submitInvocations,
  type Accepted,
  type Claimed,
  type NewInvocation,
  type StoredInvocation,
} from '@errand/queue';
import { ProblemError } from '../http/problem-error.js';
import type { BatchItemRequest } from '../http/submission-requests.js';
import { PrepareSubmission, type Caller, type NoAction, type Prepared } from './prepare-invocation.js';
import { noLongerKept, requireKey, usedOtherwise } from './assign-id.js';

/** What became of an item: it was accepted, now or earlier, its text calls nothing, or why it was refused. */
export type BatchOutcome = Accepted | StoredInvocation | NoAction | Error;

/** A batch: each item as it is after its own check, or the refusal of that. */
export interface Batch {
  items: readonly (BatchItemRequest | Error)[];
  /** Of the whole; with the same key, the same body gives the same invocations. */
  idempotencyKey?: string;
  /** The whole as it came. */
  body: unknown;
}

/** Many submissions at once: each is accepted or refused on its own. The number of round trips to Redis does not depend on theirs. */
export class SubmitBatch {
  constructor(
    private readonly preparing: PrepareSubmission,
    private readonly queues: Queues,
    private readonly logger: Logger,
  ) {}

  /**
   * In order.
   * @throws ProblemError where the key of the whole was used with another body; what Redis throws: then nothing is known of any item,
   *   and only keys make it safe to send them again
   */
  async submit(batch: Batch, caller: Caller): Promise<BatchOutcome[]> {
    if (batch.idempotencyKey !== undefined) requireKey(batch.idempotencyKey);
    const prepared = await Promise.all(batch.items.map((item) => this.prepare(item, caller)));
    const claims = await this.claim(batch, prepared, caller.tenant);
    const earlier = await Promise.all(claims.map((claimed) => this.readEarlier(claimed, caller.tenant)));
    const outcomes: (BatchOutcome | undefined)[] = prepared.map((item, n) => (isNew(item) ? earlier[n] : item));
    await this.enqueue(prepared, claims, outcomes);
    return outcomes.map((outcome) => outcome!);
  }

  private async prepare(item: BatchItemRequest | Error, caller: Caller): Promise<Prepared | NoAction | Error> {
    if (item instanceof Error) return item;
    try {
      return await this.preparing.prepare(item, caller);
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
  }

  /** The keys of those that are to be enqueued; undefined where an item has none. */
  private async claim(
    { items, idempotencyKey, body }: Batch,
    prepared: readonly (Prepared | NoAction | Error)[],
    tenant: string,
  ): Promise<(Claimed | undefined)[]> {
    const keyed = items.flatMap((item, n) => {
      if (!isNew(prepared[n]!) || item instanceof Error) return [];
      const { idempotencyKey: own, ...request } = item;
      const id = newInvocationId();
      if (own !== undefined) return [{ n, claim: { tenant, key: own, body: request, id } }];
      // A blank stands in no key that a caller can give: this one cannot be meant by another request.
      if (idempotencyKey !== undefined) return [{ n, claim: { tenant, key: `${idempotencyKey} ${n}`, body, id } }];
      return [];
    });
    const claimed = await claimKeys(
      this.queues,
      keyed.map(({ claim }) => claim),
    );
    const byItem = new Map(keyed.map(({ n }, place) => [n, claimed[place]!]));
    if (keyed.some(({ n, claim }) => claim.body === body && byItem.get(n) === 'other body')) throw usedOtherwise();
    return items.map((_, n) => byItem.get(n));
  }

  /** What an earlier request with the same key has come to. */
  private async readEarlier(claimed: Claimed | undefined, tenant: string): Promise<BatchOutcome | undefined> {
    if (claimed === 'other body') return usedOtherwise();
    if (!claimed || claimed.isNew) return undefined;
    const known = await readInvocation(this.queues, tenant, claimed.id);
    return known ?? (claimed.wasEnqueued ? noLongerKept(claimed.id) : undefined);
  }

  /** Fills in what has no outcome yet. */
  private async enqueue(
    prepared: readonly (Prepared | NoAction | Error)[],
    claims: readonly (Claimed | undefined)[],
    outcomes: (BatchOutcome | undefined)[],
  ): Promise<void> {
    const open = [...outcomes.keys()].filter((n) => outcomes[n] === undefined);
    const fresh = open.map((n): NewInvocation => {
      const claimed = claims[n];
      const named =
        claimed && claimed !== 'other body' ? { id: claimed.id, claim: claimed.claim } : { id: newInvocationId() };
      return { ...(prepared[n] as Prepared), ...named };
    });
    if (fresh.length === 0) return;
    for (const [place, outcome] of (await submitInvocations(this.queues, fresh)).entries())
      outcomes[open[place]!] = outcome;
    const { id: first, record } = fresh[0]!;
    const told = { tenant: record.tenant, items: prepared.length, enqueued: fresh.length, first };
    this.logger.info(told, 'batch accepted');
  }
}

function isNew(item: Prepared | NoAction | Error): item is Prepared {
  return !(item instanceof Error) && !('status' in item);
}
