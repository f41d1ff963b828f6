/**
 * Every key of Errand begins with this; as a hash tag it puts them all into one slot of a Redis Cluster, which BullMQ's
 * scripts and our pipelines need.
 */
export const PREFIX = '{errand}';

/** `invocations`: the worker's. `scripts`: the script-runner's; calls of one script tool go there straight, in one hop. */
export const QUEUE_NAMES = ['invocations', 'scripts'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export const keys = {
  job: (queue: QueueName, id: string) => `${PREFIX}:${queue}:${id}`,
  lock: (queue: QueueName, id: string) => `${PREFIX}:${queue}:${id}:lock`,
  queueEvents: (queue: QueueName) => `${PREFIX}:${queue}:events`,
  definition: (digest: string) => `${PREFIX}:definition:${digest}`,
  journal: (id: string) => `${PREFIX}:journal:${id}`,
  events: (id: string) => `${PREFIX}:events:${id}`,
  idempotency: (tenant: string, digest: string) => `${PREFIX}:idempotency:${tenant}:${digest}`,
  runner: (runnerId: string) => `${PREFIX}:runner:${runnerId}`,
  /** The one channel on which the id of an invocation with news is told. */
  news: `${PREFIX}:news`,
} as const;

/** A script that runs as a step of an invocation is a job of its own; its id says whose, so that asking twice runs once. */
export function childId(invocationId: string, step: number, node?: string): string {
  return node === undefined
    ? `${invocationId}.${step}`
    : `${invocationId}.${step}.${Buffer.from(node).toString('base64url')}`;
}
