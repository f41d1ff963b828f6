import { newInvocationId } from '@errand/contracts';
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

/** Enqueues the submissions of one request. Each is accepted or refused by itself. The commands for all items are pipelined. */
@Injectable()
export class SubmitBatch {
  constructor(
    private readonly preparing: PrepareInvocation,
    private readonly queues: Queues,
    private readonly logger: ApiLogger,
  ) {}

  /**
   * Returns the outcomes in the order of the items.
   * @throws ProblemError if the key of the batch was used with another body.
   * @throws any error of Redis. The outcomes are then unknown. Only idempotency keys make a second request safe.
   */
  async submit(batch: Batch, submitter: Submitter): Promise<BatchOutcome[]> {
    if (batch.idempotencyKey !== undefined) requireIdempotencyKey(batch.idempotencyKey);
    const prepared = await Promise.all(batch.items.map((item) => this.prepare(item, submitter)));
    const claims = await this.claim(batch, prepared, submitter.tenant);
    const earlier = await Promise.all(claims.map((claimed) => this.readEarlierInvocation(claimed, submitter.tenant)));
    const fresh: { n: number; invocation: NewInvocation }[] = [];
    const outcomes = prepared.map((item, n): BatchOutcome | undefined => {
      if (!isNew(item)) return item;
      if (!earlier[n]) fresh.push({ n, invocation: withId(item, claims[n]) });
      return earlier[n];
    });
    const enqueued = await this.enqueue(
      fresh.map(({ invocation }) => invocation),
      batch.items.length,
    );
    for (const [position, { n }] of fresh.entries()) outcomes[n] = enqueued[position];
    return outcomes.filter((outcome) => outcome !== undefined);
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
    const keyed = items.flatMap((item, n) => {
      if (item instanceof Error || !isNew(prepared[n])) return [];
      const { idempotencyKey: own, ...request } = item;
      const id = newInvocationId();
      if (own !== undefined) return [{ n, claim: { tenant, key: own, body: request, id } }];
      // A key of a caller has no blank, so that no other request can have this key.
      if (idempotencyKey !== undefined) return [{ n, claim: { tenant, key: `${idempotencyKey} ${n}`, body, id } }];
      return [];
    });
    const claimed = await claimKeys(
      this.queues,
      keyed.map(({ claim }) => claim),
    );
    const byItem = new Map(keyed.map(({ n }, position) => [n, claimed[position]]));
    if (keyed.some(({ n, claim }) => claim.body === body && byItem.get(n) === 'other body')) throw otherBodyError();
    return items.map((_, n) => byItem.get(n));
  }

  /** The outcome of an earlier request with the same key. */
  private async readEarlierInvocation(claimed: Claimed | undefined, tenant: string): Promise<BatchOutcome | undefined> {
    if (claimed === 'other body') return otherBodyError();
    if (!claimed || claimed.isNew) return undefined;
    const known = await readInvocation(this.queues, tenant, claimed.id);
    return known ?? (claimed.wasEnqueued ? removedError(claimed.id) : undefined);
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

function withId(prepared: PreparedInvocation, claimed: Claimed | undefined): NewInvocation {
  return claimed && claimed !== 'other body'
    ? { ...prepared, id: claimed.id, claim: claimed.claim }
    : { ...prepared, id: newInvocationId() };
}

function isNew(item: PreparedInvocation | NoAction | Error | undefined): item is PreparedInvocation {
  return item !== undefined && !(item instanceof Error) && !('status' in item);
}
