import { isFinal } from '@errand/contracts';
import { endedInvocation, freshInvocation, readToldEnd, type Accepted, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { HttpStatus, Injectable } from '@nestjs/common';
import type { OnDisconnect } from '../stream/patience.js';
import { InvocationWatcher, type EndWait } from '../stream/wait-for-invocation.js';
import type { OnBeforeEnqueue } from '../submit/assign-id.js';
import { acceptedJson } from './accepted-json.js';
import type { PlainReply } from './plain-reply.js';
import { endedJson } from './ended-json.js';
import { notFound } from './find-invocation.js';
import { invocationJson } from './invocation-json.js';
import { MAX_WAIT_SECONDS, preferredWait, waitSeconds } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';
import { budgetOf, toResponse } from './to-response.js';

/** Responds to requests that make an invocation: 202 at once, or with `Prefer: wait` 200 if it has ended by then. */
@Injectable()
export class AcceptedResponder {
  constructor(
    private readonly watcher: InvocationWatcher,
    private readonly registry: Registry,
  ) {}

  open(reply: PlainReply, scope: RequestScope, prefer: string | undefined): AcceptedResponse {
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
    private readonly reply: PlainReply,
    private readonly scope: RequestScope,
    private readonly prefer: string | undefined,
  ) {}

  /** @throws ProblemError for a malformed `Prefer: wait` */
  readonly onBeforeEnqueue: OnBeforeEnqueue = (id) => {
    this.seconds = waitSeconds(preferredWait(this.prefer), MAX_WAIT_SECONDS);
    if (this.seconds === 0) return false;
    this.wait = this.watcher.openWait(this.scope.reach, id, this.seconds * 1_000, onDisconnect(this.reply));
    return true;
  };

  /** Sends the invocation that was accepted, or an earlier one. */
  async send(accepted: Accepted | StoredInvocation): Promise<void> {
    const { id } = accepted;
    if (!this.wait) return this.sendJson(id, HttpStatus.ACCEPTED, this.jsonOf(accepted));
    const ended = 'at' in accepted ? await this.awaitNew(accepted, this.wait) : await this.wait.untilEnd(accepted);
    void this.reply.header('preference-applied', `wait=${this.seconds}`);
    if (typeof ended === 'string') return this.sendJson(id, HttpStatus.OK, ended);
    const invocation = ended ?? notFound(id);
    this.sendJson(id, isFinal(invocation.status) ? HttpStatus.OK : HttpStatus.ACCEPTED, this.jsonOf(invocation));
  }

  /** Waits for the end of a new invocation. Nearly all of them need one notification and no read. @returns it, or its JSON */
  private async awaitNew(accepted: Accepted, wait: EndWait): Promise<StoredInvocation | string | undefined> {
    const outcome = await wait.firstOutcome();
    if (outcome === undefined) return wait.untilEnd(await wait.read());
    const budget = budgetOf(this.registry, accepted.record);
    const json = endedJson(accepted, readToldEnd(accepted.id, outcome), this.scope, budget);
    return json ?? endedInvocation(freshInvocation(accepted), outcome);
  }

  private jsonOf(invocation: Accepted | StoredInvocation): string {
    if ('at' in invocation) return acceptedJson(invocation, this.scope);
    return invocationJson(toResponse(this.registry, invocation, this.scope));
  }

  private sendJson(id: string, status: HttpStatus, json: string): void {
    void this.reply
      .status(status)
      .header('content-type', 'application/json; charset=utf-8')
      .header('location', `/v1/invocations/${id}`)
      .send(json);
  }

  close(): void {
    this.wait?.close();
  }
}

/** Calls back when the client disconnects, until the callback is removed. */
export function onDisconnect({ raw }: Pick<PlainReply, 'raw'>): OnDisconnect {
  return (abort) => {
    raw.once('close', abort);
    return () => raw.off('close', abort);
  };
}
