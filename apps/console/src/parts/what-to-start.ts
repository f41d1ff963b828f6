/** What to start so that the jobs of a queue begin. */
export function whatToStart(queue: string): string {
  if (queue === 'scripts') return 'Start a script-runner.';
  if (!queue.startsWith('scripts.')) return 'Start a worker.';
  return `Start a script-runner with the label ${queue.slice('scripts.'.length)} in ERRAND_RUNNER_LABELS.`;
}
