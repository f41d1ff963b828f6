import { sep } from 'node:path';
import { stackOf } from './thrown.js';

type Hear = (thrown: unknown) => void;

/** Who hears of faults, by the real path of the folder whose code is at fault. */
const hearers = new Map<string, Set<Hear>>();

/**
 * Code may throw when it is loaded already: in a timer, or in a promise that nobody waits for. That would end the process. From now on
 * it is told to `hear` instead where the stack leads into `folder`; anything else ends the process as ever.
 */
export function hearLateFaults(folder: string, hear: Hear): void {
  if (hearers.size === 0) {
    process.on('uncaughtException', (thrown) => {
      if (!tell(thrown) && process.listenerCount('uncaughtException') === 1) end(thrown);
    });
    process.on('unhandledRejection', (thrown) => {
      if (!tell(thrown) && process.listenerCount('unhandledRejection') === 1) end(thrown);
    });
  }
  hearers.set(folder, (hearers.get(folder) ?? new Set()).add(hear));
}

function tell(thrown: unknown): boolean {
  const stack = stackOf(thrown);
  const [, hear] = [...hearers].find(([folder]) => stack.includes(folder + sep)) ?? [];
  if (!hear) return false;
  console.error('Uncaught in the code of a plugin', thrown);
  for (const each of hear) each(thrown);
  return true;
}

/** What Node.js does where nobody listens. */
function end(thrown: unknown): never {
  console.error('Uncaught', thrown);
  process.exit(1);
}
