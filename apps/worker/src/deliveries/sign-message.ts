import { Webhook } from 'standardwebhooks';

export interface Message {
  webhookId: string;
  /** When it is sent: receivers refuse what is older than five minutes. */
  at: Date;
  body: string;
}

/** The headers of Standard Webhooks: a signature by each secret, so that a receiver needs to know but one of them. */
export function signMessage({ webhookId, at, body }: Message, secrets: readonly string[]): Record<string, string> {
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(webhookId, at, body)).join(' '),
  };
}
