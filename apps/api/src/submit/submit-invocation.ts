import {
  discardPushes,
  freshInvocation,
  placeInvocation,
  preparePush,
  Queues,
  enqueueInvocation,
  type Accepted,
  type PushConfiguration,
  type StoredInvocation,
} from '@errand/queue';
import { Injectable } from '@nestjs/common';
import type { SubmitRequest } from '../http/submission-requests.js';
import { ApiLogger } from '../api-tokens.js';
import { assignId, readEarlierInvocation, type AssignedId, type OnBeforeEnqueue } from './assign-id.js';
import { PrepareInvocation, type NoAction, type Submitter } from './prepare-invocation.js';

/** A push configuration. Without an id, it has that of its invocation. */
export type NewPush = Omit<PushConfiguration, 'id'> & { id?: string };

/** The submitter of one request, with the key under which it runs once. */
type NamedSubmitter = Submitter & { idempotencyKey?: string; push?: NewPush | undefined };

/** Enqueues the invocation of one request with text or JSON. */
@Injectable()
export class SubmitInvocation {
  constructor(
    private readonly preparing: PrepareInvocation,
    private readonly queues: Queues,
    private readonly logger: ApiLogger,
  ) {}

  /** Does the same as `accept`, and builds the accepted invocation. */
  async submit(
    body: SubmitRequest,
    submitter: NamedSubmitter,
    onBeforeEnqueue?: OnBeforeEnqueue,
  ): Promise<StoredInvocation | NoAction> {
    const accepted = await this.accept(body, submitter, onBeforeEnqueue);
    return 'at' in accepted ? freshInvocation(accepted) : accepted;
  }

  /**
   * Returns what was accepted, the invocation of an earlier request with the same key, or `no_action` for a text without calls.
   * @throws ProblemError that says what is wrong, where, and how to fix it
   */
  async accept(
    body: SubmitRequest,
    submitter: NamedSubmitter,
    onBeforeEnqueue?: OnBeforeEnqueue,
  ): Promise<Accepted | StoredInvocation | NoAction> {
    const prepared = await this.preparing.prepare(body, submitter);
    if ('status' in prepared) return prepared;
    const { idempotencyKey } = submitter;
    const { tenant, calls, agent, session } = prepared.record;
    const assigned: AssignedId =
      idempotencyKey === undefined
        ? { id: await placeInvocation(this.queues, { tenant, session }) }
        : await assignId(this.queues, { ...submitter, session, body });
    const { id, claim } = assigned;
    const isAwaited = onBeforeEnqueue?.(id) === true;
    const earlier = assigned.earlier && (await readEarlierInvocation(this.queues, tenant, assigned));
    if (earlier) return earlier;
    const { push } = submitter;
    const pushes =
      push && (await preparePush(this.queues, { tenant, invocationId: id }, { ...push, id: push.id ?? id }));
    const { queue, record, options, callback, source } = prepared;
    const named = { queue, id, record, options, callback, claim, pushes, isAwaited, source };
    const accepted = await enqueueInvocation(this.queues, named);
    if (accepted instanceof Error) {
      if (pushes) await discardPushes(this.queues, pushes);
      throw accepted;
    }
    this.logger.info({ invocationId: id, tenant, tools: calls.map((call) => call.toolId), agent }, 'accepted');
    return accepted;
  }
}
