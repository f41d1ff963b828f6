import type { ShownProcess } from '@errand/contracts';

/** How many processes take jobs of a queue now, and how many of them were lost in the last hour. */
export function countAlive(processes: readonly ShownProcess[], queue: string): { alive: number; lost: number } {
  const own = processes.filter(({ queues }) => queues.includes(queue));
  const lost = own.filter(({ state }) => state === 'lost').length;
  return { alive: own.length - lost, lost };
}

/** The queue of the scripts with a label. */
export function queueOfLabel(label: string): string {
  return label === 'default' ? 'scripts' : `scripts.${label}`;
}
