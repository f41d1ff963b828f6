import { createHmac } from 'node:crypto';
import { toPushBody, toToolMessages, turnOf } from '@errand/agents';
import { isFinal, type CallbackEvent } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import { answerCalls, toInvocationResponse, readableWith } from '@errand/protocol';
import { readInvocation, type PendingDelivery, type Queues, type Sent } from '@errand/queue';
import type { Registry } from '@errand/registry';
import { messageBody } from './message-body.js';
import { postMessage } from './post-message.js';
import { pushHeaders } from './push-headers.js';

/** Sends the message of a callback, which is the ended invocation, or a status to a push receiver. */
export class DeliverCallback {
  constructor(
    private readonly queues: Queues,
    private readonly fetch: typeof globalThis.fetch,
    private readonly secrets: readonly string[],
    private readonly logger: Logger,
    private readonly registry: Pick<Registry, 'find'>,
  ) {}

  /** Makes one attempt. @throws the errors of Redis; the queue then retries the delivery */
  async deliver(delivery: PendingDelivery): Promise<Sent> {
    const { callback, webhookId } = delivery;
    const made = delivery.body ?? (await this.bodyOf(delivery));
    if (typeof made !== 'string') return made;
    const secrets = callback.secret === undefined ? this.secrets : [callback.secret];
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Errand (Standard Webhooks)',
      ...(delivery.push && pushHeaders(delivery.push)),
      ...signMessage({ webhookId, at: new Date(), body: made }, secrets),
    };
    const sent = { ...(await postMessage(this.fetch, { url: callback.url, headers, body: made })), body: made };
    this.log(delivery, sent);
    return sent;
  }

  /** The body of the message, or the end of a delivery that sends nothing. */
  private async bodyOf({ tenant, invocationId, callback, push, pushed }: PendingDelivery): Promise<string | Sent> {
    const stored = await readInvocation(this.queues, tenant, invocationId);
    if (!stored) return refusedFor('The invocation was removed by retention');
    if (push && pushed) return toPushBody(turnOf(stored), pushed, push.version);
    if (!isFinal(stored.status)) return refusedFor('The invocation has not ended');
    const event = `invocation.${stored.status}` as CallbackEvent;
    if (callback.events && !callback.events.includes(event)) return { verdict: 'skipped' };
    const { record, ...invocation } = stored;
    const { agent, maxResultChars: maxChars, messageForm } = record;
    const readable = readableWith((toolId) => this.registry.find(toolId, { agent }) !== undefined);
    const response = toInvocationResponse(invocation, { maxChars, readable });
    if (messageForm === undefined) return messageBody(response);
    return messageBody({
      ...response,
      messages: toToolMessages(messageForm, answerCalls(invocation, { maxChars, readable })),
    });
  }

  /** The log has the address without its query, which may hold a secret of the receiver. */
  private log({ invocationId, id, callback }: PendingDelivery, sent: Sent): void {
    if (sent.verdict === 'skipped') return;
    const { origin, pathname } = new URL(callback.url);
    const fields = { invocationId, delivery: id, receiver: origin + pathname, ...sent.attempt };
    if (sent.verdict === 'delivered') this.logger.info(fields, 'callback delivered');
    else this.logger.warn(fields, 'callback not delivered');
  }
}

function refusedFor(error: string): Sent {
  return { verdict: 'refused', attempt: { at: new Date().toISOString(), durationMs: 0, error } };
}

const SECRET_PREFIX = 'whsec_';

export interface Message {
  webhookId: string;
  /** The time of sending. Receivers refuse a message that is older than five minutes. */
  at: Date;
  body: string;
}

/**
 * The headers of Standard Webhooks, with one signature for each secret. A receiver needs only one of the secrets. The library hashes in JavaScript,
 * which takes 2 ms for the longest body. Node.js needs a fifth of that.
 */
export function signMessage({ webhookId, at, body }: Message, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = Buffer.from(`${webhookId}.${timestamp}.${body}`);
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
      .update(signed)
      .digest('base64');
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}
