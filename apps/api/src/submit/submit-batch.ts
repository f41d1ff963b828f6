import {
  claimKeys,
  placeBatch,
  placeInvocation,
  QueueFullError,
  Queues,
  readInvocation,
  storeBatch,
  submitInvocations,
  type Accepted,
  type Claimed,
  type NewBatch,
  type NewInvocation,
  type StoredInvocation,
} from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { ProblemError } from '../http/problem-error.js';
import type { BatchItemRequest } from '../http/submission-requests.js';
import { ApiLogger } from '../api-tokens.js';
import { PrepareInvocation, type Submitter, type NoAction, type PreparedInvocation } from './prepare-invocation.js';
import { removedError, requireIdempotencyKey, otherBodyError } from './assign-id.js';

/** The outcome of an item: accepted now, accepted earlier, a text without calls, or the reason of the refusal. */
export type BatchOutcome = Accepted | StoredInvocation | NoAction | Error;

/** A batch. An item that failed its check is the error. */
interface Batch {
  items: readonly (BatchItemRequest | Error)[];
  /** The key of the whole batch: the same key and body give the same invocations. */
  idempotencyKey?: string;
  /** The whole body as it was sent. */
  body: unknown;
}

/** A batch that was accepted, with the outcomes in the order of its items. */
export interface SubmittedBatch {
  id: string;
  outcomes: BatchOutcome[];
}

/** Runs with the ids of all invocations of a batch before they are enqueued. */
type OnBeforeEnqueue = (ids: readonly string[]) => void;

/** How long the key of a batch is valid if no item of it has a key that is valid longer. */
const KEY_SECONDS = 86_400;

/** Enqueues the submissions of one request. Each is accepted or refused by itself. The commands for all items are pipelined. */
@Injectable()
export class SubmitBatch {
  constructor(
    private readonly preparing: PrepareInvocation,
    private readonly queues: Queues,
    private readonly logger: ApiLogger,
  ) {}

  /**
   * A repeated request with the same key has the same id.
   * @throws ProblemError if the key of the batch was used with another body.
   * @throws QueueFullError if nothing was accepted because of the bound of a queue.
   * @throws any error of Redis. The outcomes are then unknown. Only idempotency keys make a second request safe.
   */
  async submit(batch: Batch, submitter: Submitter, onBeforeEnqueue?: OnBeforeEnqueue): Promise<SubmittedBatch> {
    if (batch.idempotencyKey !== undefined) requireIdempotencyKey(batch.idempotencyKey);
    const claimedId = await this.claimId(batch, submitter.tenant);
    const prepared = await Promise.all(batch.items.map((item) => this.prepare(item, submitter)));
    const claims = await this.claim(batch, prepared, submitter.tenant);
    const earlier = await this.readEarlier(claims, submitter.tenant);
    const id = batchOf(batch, earlier) ?? claimedId;
    const fresh: { n: number; invocation: NewInvocation }[] = [];
    const outcomes: (BatchOutcome | undefined)[] = [];
    for (const [n, item] of prepared.entries()) {
      outcomes.push(isNew(item) ? earlier[n] : item);
      if (!isNew(item) || earlier[n]) continue;
      // With one shard the id is there at once. A promise would cost an item as much as its id.
      const own = this.idOf(item, claims[n]);
      fresh.push({ n, invocation: withId(item, id, typeof own === 'string' ? own : await own, claims[n]) });
    }
    const invocations = fresh.map(({ invocation }) => invocation);
    onBeforeEnqueue?.([...invocations, ...earlier.filter(isStored)].map((each) => each.id));
    const enqueued = await this.enqueue(invocations, batch.items.length);
    for (const [position, { n }] of fresh.entries()) outcomes[n] = enqueued[position];
    const all = outcomes.filter((outcome) => outcome !== undefined);
    requireRoom(all);
    const delayMs = Math.max(0, ...invocations.map(({ options }) => options?.delayMs ?? 0));
    await storeBatch(this.queues, { id, tenant: submitter.tenant, delayMs, ...summaryOf(id, all) });
    return { id, outcomes: all };
  }

  /** The id of a new batch, or that of an earlier request with the same key. */
  private async claimId({ idempotencyKey, body }: Batch, tenant: string): Promise<string> {
    if (idempotencyKey === undefined) return placeBatch(this.queues, tenant, undefined);
    // A key of a caller has no blank, and the keys of items end in a number.
    const key = `${idempotencyKey} batch`;
    const id = placeBatch(this.queues, tenant, key);
    const [claimed] = await claimKeys(this.queues, [{ tenant, key, body, id, seconds: KEY_SECONDS }]);
    if (!claimed || claimed === 'other body') throw otherBodyError();
    return claimed.id;
  }

  private async prepare(
    item: BatchItemRequest | Error,
    submitter: Submitter,
  ): Promise<PreparedInvocation | NoAction | Error> {
    if (item instanceof Error) return item;
    try {
      return await this.preparing.prepare(item, submitter);
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
  }

  /** Claims the keys of the items that will be enqueued. The claim of an item without a key is undefined. */
  private async claim(
    { items, idempotencyKey, body }: Batch,
    prepared: readonly (PreparedInvocation | NoAction | Error)[],
    tenant: string,
  ): Promise<(Claimed | undefined)[]> {
    const wanted = items.flatMap((item, n) => {
      const fresh = prepared[n];
      if (item instanceof Error || !isNew(fresh)) return [];
      const { session } = fresh.record;
      const { idempotencyKey: own, ...request } = item;
      if (own !== undefined) return [{ n, session, key: own, body: request }];
      // A key of a caller has no blank, so that no other request can have this key.
      return idempotencyKey === undefined ? [] : [{ n, session, key: `${idempotencyKey} ${n}`, body }];
    });
    const keyed = await Promise.all(
      wanted.map(async ({ n, session, key, body: of }) => {
        const id = await placeInvocation(this.queues, { tenant, session, key });
        return { n, claim: { tenant, key, body: of, id } };
      }),
    );
    const claimed = await claimKeys(
      this.queues,
      keyed.map(({ claim }) => claim),
    );
    const byItem = new Map(keyed.map(({ n }, position) => [n, claimed[position]]));
    if (keyed.some(({ n, claim }) => claim.body === body && byItem.get(n) === 'other body')) throw otherBodyError();
    return items.map((_, n) => byItem.get(n));
  }

  /** The outcomes of earlier requests with the same keys, by item. */
  private async readEarlier(
    claims: readonly (Claimed | undefined)[],
    tenant: string,
  ): Promise<(BatchOutcome | undefined)[]> {
    if (claims.every((claimed) => claimed === undefined)) return [];
    return Promise.all(claims.map((claimed) => this.readEarlierInvocation(claimed, tenant)));
  }

  /** The outcome of an earlier request with the same key. */
  private async readEarlierInvocation(claimed: Claimed | undefined, tenant: string): Promise<BatchOutcome | undefined> {
    if (claimed === 'other body') return otherBodyError();
    if (!claimed || claimed.isNew) return undefined;
    const known = await readInvocation(this.queues, tenant, claimed.id);
    return known ?? (claimed.wasEnqueued ? removedError(claimed.id) : undefined);
  }

  private idOf({ record }: PreparedInvocation, claimed: Claimed | undefined): string | Promise<string> {
    if (claimed && claimed !== 'other body') return claimed.id;
    const { tenant, session } = record;
    return placeInvocation(this.queues, { tenant, session });
  }

  private async enqueue(invocations: readonly NewInvocation[], items: number): Promise<(Accepted | Error)[]> {
    const [first] = invocations;
    if (!first) return [];
    const outcomes = await submitInvocations(this.queues, invocations);
    const { tenant } = first.record;
    this.logger.info({ tenant, items, enqueued: invocations.length, first: first.id }, 'batch accepted');
    return outcomes;
  }
}

function withId(
  { queue, record, options, callback, source }: PreparedInvocation,
  batch: string,
  id: string,
  claimed: Claimed | undefined,
): NewInvocation {
  // The record belongs to this request. Copying it would cost an item as much as its check.
  record.batch = batch;
  const made = { queue, id, record, options, callback, source };
  return claimed && claimed !== 'other body' ? { ...made, claim: claimed.claim } : made;
}

/** The batch that made the earlier invocations under the key of this batch. Their keys are valid longer than that of the batch. */
function batchOf({ items, idempotencyKey }: Batch, earlier: readonly (BatchOutcome | undefined)[]): string | undefined {
  if (idempotencyKey === undefined) return undefined;
  const made = earlier.filter((_, n) => !(items[n] instanceof Error) && items[n]?.idempotencyKey === undefined);
  return made.find(isStored)?.record.batch;
}

/** @throws QueueFullError if every item was refused, and a later request can be accepted */
function requireRoom(outcomes: readonly BatchOutcome[]): void {
  if (outcomes.some((outcome) => !(outcome instanceof Error))) return;
  const full = outcomes.filter((outcome) => outcome instanceof QueueFullError);
  const [longest] = full.toSorted((a, b) => b.retryAfterSeconds - a.retryAfterSeconds);
  if (longest) throw longest;
}

function summaryOf(batch: string, outcomes: readonly BatchOutcome[]): Omit<NewBatch, 'id' | 'tenant' | 'delayMs'> {
  const known = outcomes.filter((outcome) => isStored(outcome) || isAccepted(outcome));
  const isOwn = ({ record }: (typeof known)[number]) => record.batch === batch;
  return {
    own: known.filter(isOwn).map(({ id }) => id),
    others: [...new Set(known.filter((each) => !isOwn(each)).map(({ id }) => id))],
    refused: outcomes.filter((outcome) => outcome instanceof Error).length,
    noAction: outcomes.length - known.length - outcomes.filter((outcome) => outcome instanceof Error).length,
  };
}

function isStored(outcome: BatchOutcome | undefined): outcome is StoredInvocation {
  return outcome !== undefined && 'record' in outcome && !('at' in outcome);
}

function isAccepted(outcome: BatchOutcome): outcome is Accepted {
  return 'at' in outcome;
}

function isNew(item: PreparedInvocation | NoAction | Error | undefined): item is PreparedInvocation {
  return item !== undefined && !(item instanceof Error) && !('status' in item);
}
