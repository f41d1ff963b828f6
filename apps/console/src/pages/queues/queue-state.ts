import type { ShownQueue } from '@errand/contracts';
import { formatCount, plural } from '../../parts/format.js';
import type { QueueState } from '../../statuses.js';

/** What a queue does now. */
export function stateOfQueue(queue: ShownQueue): QueueState {
  const { paused, consumers, active, waiting } = queue;
  if (paused) return 'paused';
  if (lacksConsumer(queue)) return 'stuck';
  if (consumers === 0) return 'unserved';
  return active + waiting > 0 ? 'working' : 'idle';
}

/** Whether a queue has jobs that nobody takes. Jobs whose process was lost count as active until another process takes them over. */
export function lacksConsumer({ consumers, waiting, active }: ShownQueue): boolean {
  return consumers === 0 && waiting + active > 0;
}

/** `2 jobs without a process` */
export function jobsWithoutProcess(active: number): string {
  return `${formatCount(active)} ${plural(active, 'job', 'jobs')} without a process`;
}
