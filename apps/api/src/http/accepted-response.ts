import { isFinal } from '@errand/contracts';
import type { StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { HttpStatus, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { InvocationWatcher, type EndWait, type OnDisconnect } from '../stream/wait-for-invocation.js';
import type { OnBeforeEnqueue } from '../submit/assign-id.js';
import { notFound } from './find-invocation.js';
import { MAX_WAIT_SECONDS, preferredWait, waitSeconds } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';
import { toResponse } from './to-response.js';

/** Responds to requests that make an invocation: 202 at once, or with `Prefer: wait` 200 if it has ended by then. */
@Injectable()
export class AcceptedResponder {
  constructor(
    private readonly watcher: InvocationWatcher,
    private readonly registry: Registry,
  ) {}

  open(reply: FastifyReply, scope: RequestScope, prefer: string | undefined): AcceptedResponse {
    return new AcceptedResponse(this.watcher, this.registry, reply, scope, prefer);
  }
}

/**
 * One such response. Submit the invocation with `onBeforeEnqueue`, so that the wait begins before the invocation can end. Then call `send`,
 * and `close` in any case.
 */
class AcceptedResponse {
  private seconds = 0;
  private wait: EndWait | undefined;

  constructor(
    private readonly watcher: InvocationWatcher,
    private readonly registry: Registry,
    private readonly reply: FastifyReply,
    private readonly scope: RequestScope,
    private readonly prefer: string | undefined,
  ) {}

  /** @throws ProblemError for a malformed `Prefer: wait` */
  readonly onBeforeEnqueue: OnBeforeEnqueue = (id) => {
    this.seconds = waitSeconds(preferredWait(this.prefer), MAX_WAIT_SECONDS);
    if (this.seconds === 0) return;
    this.wait = this.watcher.openWait(this.scope.reach, id, this.seconds * 1_000, onDisconnect(this.reply));
  };

  async send(accepted: StoredInvocation): Promise<void> {
    const { id } = accepted;
    const invocation = this.wait ? ((await this.wait.untilEnd(accepted)) ?? notFound(id)) : accepted;
    const hasEnded = this.wait !== undefined && isFinal(invocation.status);
    if (this.wait) void this.reply.header('preference-applied', `wait=${this.seconds}`);
    void this.reply
      .status(hasEnded ? HttpStatus.OK : HttpStatus.ACCEPTED)
      .header('location', `/v1/invocations/${id}`)
      .send(toResponse(this.registry, invocation, this.scope));
  }

  close(): void {
    this.wait?.close();
  }
}

/** Calls back when the client disconnects, until the callback is removed. */
export function onDisconnect({ raw }: FastifyReply): OnDisconnect {
  return (abort) => {
    raw.once('close', abort);
    return () => raw.off('close', abort);
  };
}
