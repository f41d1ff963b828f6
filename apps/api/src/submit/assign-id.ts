import { newInvocationId } from '@errand/contracts';
import { claimKeys, readInvocation, type IdempotencyClaim, type Queues, type StoredInvocation } from '@errand/queue';
import { ProblemError } from '../http/problem-error.js';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_MESSAGE } from '../http/submission-requests.js';

/** A request that makes an invocation: whose it is, what it says, and the key under which it is made once. */
export interface NamedRequest {
  tenant: string;
  idempotencyKey?: string | undefined;
  body: unknown;
}

/** The id that an invocation is to have, and under which key it was asked for. */
export interface Named {
  id: string;
  claim?: IdempotencyClaim;
  /** Of a key that was used before: whether something came of it then. */
  earlier?: 'enqueued' | 'claimed';
}

/** What a request that was found good comes to: an invocation of this id, once `enqueue` is called. */
export interface Submission {
  id: string;
  enqueue: () => Promise<StoredInvocation>;
}

/** @throws ProblemError where the key is none, or was used with another body */
export async function nameInvocation(queues: Queues, { tenant, idempotencyKey, body }: NamedRequest): Promise<Named> {
  const id = newInvocationId();
  if (idempotencyKey === undefined) return { id };
  requireKey(idempotencyKey);
  const [claimed] = await claimKeys(queues, [{ tenant, key: idempotencyKey, body, id }]);
  if (claimed === 'other body') throw usedOtherwise();
  if (claimed!.isNew) return claimed!;
  return { ...claimed!, earlier: claimed!.wasEnqueued ? 'enqueued' : 'claimed' };
}

/** What an earlier request with the same key has come to, if there was one. @throws ProblemError where that is no longer kept */
export async function readEarlier(
  queues: Queues,
  tenant: string,
  { id, earlier }: Named,
): Promise<StoredInvocation | undefined> {
  if (!earlier) return undefined;
  const known = await readInvocation(queues, tenant, id);
  if (!known && earlier === 'enqueued') throw noLongerKept(id);
  return known;
}

/** @throws ProblemError where it is no key */
export function requireKey(key: string): void {
  if (!IDEMPOTENCY_KEY.test(key)) throw new ProblemError('invalid_request', IDEMPOTENCY_KEY_MESSAGE);
}

export function usedOtherwise(): ProblemError {
  return new ProblemError(
    'conflict',
    'This Idempotency-Key was used with another body; take a new key for a new request',
  );
}

/** It has run; that it is not run again is what the key is for. */
export function noLongerKept(id: string): ProblemError {
  return new ProblemError(
    'conflict',
    `What was asked for under this Idempotency-Key has run as ${id}, which is no longer kept`,
  );
}
