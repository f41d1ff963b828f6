import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, processStart } from './processes.js';
import { KnownError } from '@errand/contracts';

/** The stack that runs on a data folder, as `up.json` there says it. */
export interface RunningStack {
  pid: number;
  url: string;
  startedAt: string;
  /** With the pid: the one process that is meant, whatever has its number by now. */
  processStart?: string;
}

/** How long a stack that is just ending is waited for. */
const ENDING_MS = 2_000;

const file = (dataDir: string) => join(dataDir, 'up.json');

/** The stack of a data folder, if it is alive. */
export function findRunningStack(dataDir: string): RunningStack | undefined {
  if (!existsSync(file(dataDir))) return undefined;
  const stack = JSON.parse(readFileSync(file(dataDir), 'utf8')) as RunningStack;
  return isAlive(stack.pid) && processStart(stack.pid) === stack.processStart ? stack : undefined;
}

/** @throws Error where another stack holds the data folder, and keeps it */
export async function refuseSecondStack(dataDir: string): Promise<void> {
  for (const end = Date.now() + ENDING_MS; ; await delay(50)) {
    const other = findRunningStack(dataDir);
    if (!other) return;
    if (Date.now() > end) {
      throw new KnownError(
        `Errand runs already, on ${other.url} (process ${other.pid}): \`./errand down\` ends it; another one needs an ERRAND_DATA_DIR of its own`,
      );
    }
  }
}

/** Says in the data folder that this process is its stack. Whole at once: a reader never meets half a file. */
export function recordRunningStack(dataDir: string, url: string): void {
  const start = processStart(process.pid);
  const stack: RunningStack = {
    pid: process.pid,
    url,
    startedAt: new Date().toISOString(),
    ...(start && { processStart: start }),
  };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(`${file(dataDir)}.new`, `${JSON.stringify(stack)}\n`);
  renameSync(`${file(dataDir)}.new`, file(dataDir));
}

export function removeRunningStack(dataDir: string): void {
  rmSync(file(dataDir), { force: true });
}
