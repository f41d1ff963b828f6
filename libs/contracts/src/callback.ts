/** What a callback may tell of: how an invocation ended. */
export const CALLBACK_EVENTS = ['invocation.succeeded', 'invocation.failed', 'invocation.cancelled'] as const;
export type CallbackEvent = (typeof CALLBACK_EVENTS)[number];

/** Whom to tell of the end of an invocation. */
export interface Callback {
  /** http(s), of a host that may be reached. */
  url: string;
  /** Only these ends; absent: every end. */
  events?: CallbackEvent[];
  /** `whsec_…`: signs the callbacks of this invocation in place of the operator's secrets. Never shown to anyone. */
  secret?: string;
}

/**
 * How a delivery stands: `waiting` for the end of the invocation; `pending`: owed, and tried until it succeeds; `delivered`: the
 * receiver answered 2xx; `failed`: given up, a dead letter; `skipped`: the receiver did not want to hear of this end.
 */
export type DeliveryStatus = 'waiting' | 'pending' | 'delivered' | 'failed' | 'skipped';

/** One try to reach the receiver. `at` is ISO 8601. */
export interface DeliveryAttempt {
  at: string;
  durationMs: number;
  /** What the receiver answered; absent where it did not. */
  statusCode?: number;
  /** Why it was no success, in words. */
  error?: string;
}

/** One delivery of the message that an invocation has ended, as callers see it. */
export interface Delivery {
  id: string;
  /** The number by which it can be redelivered. */
  index: number;
  /** The `webhook-id` of the message: the same in every attempt and every redelivery. */
  webhookId: string;
  status: DeliveryStatus;
  url: string;
  nextAttemptAt: string | null;
  attempts: DeliveryAttempt[];
}
