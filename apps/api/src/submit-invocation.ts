import { newInvocationId } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import {
  claimKeys,
  Queues,
  readInvocation,
  submitInvocations,
  type KeyHold,
  type StoredInvocation,
} from '@errand/queue';
import { ProblemError } from './http/problem-error.js';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_MESSAGE, type SubmitRequest } from './http/submission-requests.js';
import { PrepareSubmission, type Caller, type NoAction, type Prepared } from './prepare-submission.js';

/** What is to become of a submission: an invocation, once `enqueue` is called, or nothing, where a text calls nothing. */
export type Submission = { id: string; enqueue: () => Promise<StoredInvocation> } | NoAction;

/** The id that an invocation is to have, and under which key it was asked for. */
interface Named {
  id: string;
  hold?: KeyHold;
  /** Of a key that was used before: whether something came of it then. */
  earlier?: 'enqueued' | 'claimed';
}

/** Text or JSON in, an invocation in a queue out. */
export class SubmitInvocation {
  constructor(
    private readonly preparing: PrepareSubmission,
    private readonly queues: Queues,
    private readonly logger: Logger,
  ) {}

  /** @throws ProblemError that says what is wrong, where, and how to mend it */
  async prepare(request: SubmitRequest, caller: Caller & { idempotencyKey?: string }): Promise<Submission> {
    const prepared = await this.preparing.prepare(request, caller);
    if ('status' in prepared) return prepared;
    const named = await this.name(request, caller);
    return { id: named.id, enqueue: () => this.enqueue(prepared, named) };
  }

  private async enqueue(prepared: Prepared, { id, hold, earlier }: Named): Promise<StoredInvocation> {
    const { tenant, calls, agent } = prepared.record;
    if (earlier) {
      const known = await readInvocation(this.queues, tenant, id);
      if (known) return known;
      if (earlier === 'enqueued') throw noLongerKept(id);
    }
    const [fresh] = await submitInvocations(this.queues, [{ ...prepared, id, hold }]);
    if (fresh instanceof Error) throw fresh;
    this.logger.info({ invocationId: id, tenant, tools: calls.map((call) => call.toolId), agent }, 'accepted');
    return fresh!;
  }

  private async name(
    request: SubmitRequest,
    { tenant, idempotencyKey }: { tenant: string; idempotencyKey?: string },
  ): Promise<Named> {
    const id = newInvocationId();
    if (idempotencyKey === undefined) return { id };
    requireKey(idempotencyKey);
    const [claimed] = await claimKeys(this.queues, [{ tenant, key: idempotencyKey, body: request, id }]);
    if (claimed === 'other body') throw usedOtherwise();
    if (claimed!.isNew) return claimed!;
    return { ...claimed!, earlier: claimed!.wasEnqueued ? 'enqueued' : 'claimed' };
  }
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
