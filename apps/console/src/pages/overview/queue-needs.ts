import type { ShownQueue } from '@errand/contracts';
import { plural } from '../../parts/format.js';
import { lacksConsumer } from '../queues/queue-state.js';

/** Something that waits for a person. */
export interface Need {
  name: string;
  count: number;
  /** There are more than `count`. */
  isMore?: boolean;
  text: string;
  path: string;
  tone: 'waiting' | 'bad';
}

/**
 * The queues with jobs that nobody takes, and the paused ones. Queues without jobs need no consumer.
 * @param isOperator others cannot resume a queue
 */
export function needsOfQueues(queues: readonly ShownQueue[], isOperator: boolean): Need[] {
  const orphaned = queues.filter(lacksConsumer);
  const paused = queues.filter(({ paused: pause }) => pause !== null);
  const needs: Need[] = [
    {
      name: 'no-consumer',
      count: orphaned.length,
      text: `${plural(orphaned.length, 'queue has', 'queues have')} jobs, and no consumer is alive`,
      path: pathOf(orphaned),
      tone: 'bad',
    },
    {
      name: 'paused',
      count: paused.length,
      text:
        plural(paused.length, 'queue is paused', 'queues are paused') +
        (isOperator ? '' : `; only the operator can resume ${plural(paused.length, 'it', 'them')}`),
      path: pathOf(paused),
      tone: 'waiting',
    },
  ];
  return needs.filter(({ count }) => count > 0);
}

/** The page of the only queue, or that of all. */
function pathOf(queues: readonly ShownQueue[]): string {
  const [only, ...more] = queues;
  return only && more.length === 0 ? `/console/queues/${encodeURIComponent(only.name)}` : '/console/queues';
}
