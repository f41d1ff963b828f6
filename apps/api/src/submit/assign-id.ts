import {
  claimKeys,
  placeInvocation,
  readInvocation,
  type IdempotencyClaim,
  type Queues,
  type StoredInvocation,
} from '@errand/queue';
import { ProblemError } from '../http/problem-error.js';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_MESSAGE } from '../http/submission-requests.js';

/** A request that makes an invocation: its tenant, its body, and the key under which it runs once. */
interface IdRequest {
  tenant: string;
  /** The session of the invocation. */
  session?: string | undefined;
  idempotencyKey?: string | undefined;
  body: unknown;
}

/** The id of a new invocation, and its claim of the idempotency key. */
export interface AssignedId {
  id: string;
  claim?: IdempotencyClaim;
  /** Set if the key was used before: whether that request was enqueued, or only claimed the key. */
  earlier?: 'enqueued' | 'claimed';
}

/** Runs with the id of an invocation before the invocation is enqueued or read. Returns true if the request waits for its end. */
export type OnBeforeEnqueue = (id: string) => unknown;

/** @throws ProblemError if the key is malformed, or was used with another body */
export async function assignId(
  queues: Queues,
  { tenant, session, idempotencyKey, body }: IdRequest,
): Promise<AssignedId> {
  const id = await placeInvocation(queues, { tenant, session, key: idempotencyKey });
  if (idempotencyKey === undefined) return { id };
  requireIdempotencyKey(idempotencyKey);
  const [claimed] = await claimKeys(queues, [{ tenant, key: idempotencyKey, body, id }]);
  if (!claimed || claimed === 'other body') throw otherBodyError();
  if (claimed.isNew) return claimed;
  return { ...claimed, earlier: claimed.wasEnqueued ? 'enqueued' : 'claimed' };
}

/** The invocation of an earlier request with the same key, if there was one. @throws ProblemError if retention removed it */
export async function readEarlierInvocation(
  queues: Queues,
  tenant: string,
  { id, earlier }: AssignedId,
): Promise<StoredInvocation | undefined> {
  if (!earlier) return undefined;
  const known = await readInvocation(queues, tenant, id);
  if (!known && earlier === 'enqueued') throw removedError(id);
  return known;
}

/** @throws ProblemError if the key is malformed */
export function requireIdempotencyKey(key: string): void {
  if (!IDEMPOTENCY_KEY.test(key)) throw new ProblemError('invalid_request', IDEMPOTENCY_KEY_MESSAGE);
}

export function otherBodyError(): ProblemError {
  return new ProblemError(
    'conflict',
    'This Idempotency-Key was used with another body; take a new key for a new request',
  );
}

/** The invocation ran and was removed. The key must not run it again. */
export function removedError(id: string): ProblemError {
  return new ProblemError(
    'conflict',
    `The request with this Idempotency-Key ran as ${id}, which retention has removed; take a new key to run it again`,
  );
}
