/** The ends of an invocation that a callback may report. */
export const CALLBACK_EVENTS = ['invocation.succeeded', 'invocation.failed', 'invocation.cancelled'] as const;
export type CallbackEvent = (typeof CALLBACK_EVENTS)[number];

/** A receiver that gets a message when an invocation ends. */
export interface Callback {
  /** An http or https address of a permitted host. */
  url: string;
  /** The ends that the receiver wants. Absent: every end. */
  events?: CallbackEvent[];
  /** `whsec_…`: signs the callbacks of this invocation in place of the operator's secrets. No response contains it. */
  secret?: string;
}

/**
 * - `waiting`: the invocation has not ended yet.
 * - `pending`: attempts continue until one succeeds.
 * - `delivered`: the response of the receiver was 2xx.
 * - `failed`: all attempts failed, and the delivery is a dead letter.
 * - `skipped`: the receiver does not want messages about this end.
 */
export type DeliveryStatus = 'waiting' | 'pending' | 'delivered' | 'failed' | 'skipped';

/** One attempt to reach the receiver. `at` is ISO 8601. */
export interface DeliveryAttempt {
  at: string;
  durationMs: number;
  /** The status code of the receiver's response. Absent if there was no response. */
  statusCode?: number;
  /** The reason of the failure, for people. */
  error?: string;
}

/** One delivery of the message that an invocation has ended, as callers see it. */
export interface Delivery {
  id: string;
  /** The number that a redelivery request uses. */
  index: number;
  /** The `webhook-id` of the message. It is the same in every attempt and every redelivery. */
  webhookId: string;
  status: DeliveryStatus;
  url: string;
  nextAttemptAt: string | null;
  attempts: DeliveryAttempt[];
}

/** A delivery in the list of all deliveries. */
export interface ListedDelivery extends Delivery {
  invocationId: string;
  /** Host and port of its address. */
  receiver: string;
  /** The owner of its invocation. Only responses to the operator have it. */
  tenant?: string;
}
