import type { ShownProcess, ShownQueue } from '@errand/contracts';

/** Says what becomes of the jobs of a lost process: nobody takes them over where no process is alive or the queue is paused. */
export function takeOverText(
  { kind, queues: own, left = [] }: ShownProcess,
  all: readonly ShownProcess[],
  queues: readonly ShownQueue[],
): string {
  if (kind === 'api' || !left.some(({ now }) => now === 'in-hand' || now === 'waiting')) return '';
  const orphaned = own.filter((queue) => !all.some((each) => each.state === 'ready' && each.queues.includes(queue)));
  if (orphaned.length > 0)
    return `No living process takes jobs of ${orphaned.join(', ')}: start a ${kind === 'runner' ? 'script-runner' : 'worker'}.`;
  const paused = queues.filter(({ name, paused: pause }) => pause !== null && own.includes(name));
  if (paused.length > 0) return `Jobs of ${paused.map(({ name }) => name).join(', ')} wait until the queue is resumed.`;
  return 'Other processes take its jobs over.';
}
