import { DEFAULT_LABEL } from '@errand/contracts';

/** Workers take `invocations`, script-runners take `scripts`. An invocation of a single script tool goes directly to `scripts`. */
export const QUEUE_NAMES = ['invocations', 'scripts'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/**
 * The queue of the scripts that need a runner with a label. Its jobs are steps of invocations; invocations are only in the two queues above.
 * A queue is opened when its first job is added or when a runner offers the label.
 */
type LabelQueue = `scripts.${string}`;
/** A queue whose jobs workers or script-runners run. */
export type WorkQueue = QueueName | LabelQueue;

/** The queue of the scripts that need this label. */
export function scriptQueue(label = DEFAULT_LABEL): 'scripts' | LabelQueue {
  return label === DEFAULT_LABEL ? 'scripts' : `scripts.${label}`;
}

/** The label of a label queue; undefined for a queue of invocations. */
export function labelOf(queue: WorkQueue): string | undefined {
  return queue.startsWith('scripts.') ? queue.slice('scripts.'.length) : undefined;
}

/** The queue of pending deliveries, and of deliveries whose invocation has not ended. */
export const DELIVERIES = 'deliveries';

/** All deliveries have the same priority, so that the oldest is first. Without one, BullMQ takes the newest released parent first. */
export const DELIVERY_PRIORITY = 1;
