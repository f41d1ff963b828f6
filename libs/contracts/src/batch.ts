import type { Status } from './status.js';

/**
 * The numbers of items of a batch. An invocation that several items share counts once. `refused`: items that were not accepted; `no_action`:
 * texts without a call; `removed`: invocations whose last status is not known any more.
 */
export type BatchCounts = Record<Status | 'refused' | 'no_action' | 'removed', number>;

/** A batch, as callers see it. */
export interface Batch {
  id: string;
  /** ISO 8601. */
  createdAt: string;
  counts: BatchCounts;
  links: { self: string; invocations: string };
  /** Its owner. Only responses to the operator have it. */
  tenant?: string;
}
