import { setTimeout as delay } from 'node:timers/promises';
import { findRunningStack, removeRunningStack } from '../running-stack.js';
import { say } from '../terminal.js';

const DRAIN_MS = 60_000;

/** `./errand down`: lets the stack finish its running jobs and waits for its end. Exit code 1 if it still runs after a minute. */
export async function run(): Promise<number> {
  const dataDir = process.env['ERRAND_DATA_DIR'] ?? '.errand';
  const stack = findRunningStack(dataDir);
  if (!stack) {
    removeRunningStack(dataDir);
    say('Errand is not running.');
    return 0;
  }
  say(`Ending Errand on ${stack.url} (process ${stack.pid}); it finishes its running jobs …`);
  process.kill(stack.pid, 'SIGTERM');
  for (const end = Date.now() + DRAIN_MS; findRunningStack(dataDir); await delay(50)) {
    if (Date.now() > end) {
      say(`It still runs. To end it at once: kill -9 ${stack.pid}`);
      return 1;
    }
  }
  say('Ended.');
  return 0;
}
