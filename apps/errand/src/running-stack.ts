import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, processStart } from './processes.js';
import { KnownError } from '@errand/contracts';

/** The stack that runs on a data folder, as `up.json` in that folder describes it. */
export interface RunningStack {
  pid: number;
  url: string;
  startedAt: string;
  /** The absolute paths of the library folders that the stack has loaded. A stack of an older version does not say. */
  library?: readonly string[];
  /** The start of the process. Another process can have the same pid later, but not the same start. */
  processStart?: string;
}

/** The time that a stack gets to end before it counts as running. */
const ENDING_MS = 2_000;

const file = (dataDir: string) => join(dataDir, 'up.json');

/**
 * The stack of a data folder, if it is alive.
 * @throws KnownError if `up.json` is no record of a stack
 */
export function findRunningStack(dataDir: string): RunningStack | undefined {
  if (!existsSync(file(dataDir))) return undefined;
  const stack = readRecord(file(dataDir));
  return isAlive(stack.pid) && processStart(stack.pid) === stack.processStart ? stack : undefined;
}

function readRecord(path: string): RunningStack {
  const text = readFileSync(path, 'utf8');
  try {
    const stack = JSON.parse(text) as RunningStack;
    if (typeof stack.url !== 'string' || !Number.isInteger(stack.pid)) throw new TypeError('no url or pid');
    return stack;
  } catch (error) {
    throw new KnownError(
      `${path} cannot be understood (${(error as Error).message}): remove that file; \`./errand up\` writes it`,
    );
  }
}

/** @throws Error if another stack uses the data folder */
export async function refuseSecondStack(dataDir: string): Promise<void> {
  for (const end = Date.now() + ENDING_MS; ; await delay(50)) {
    const other = findRunningStack(dataDir);
    if (!other) return;
    if (Date.now() > end) {
      throw new KnownError(
        `Errand already runs on ${other.url} (process ${other.pid}): \`./errand down\` ends it; another stack needs its own ERRAND_DATA_DIR`,
      );
    }
  }
}

/** Writes to the data folder that this process is its stack. The file is renamed into place, so a reader never sees half of it. */
export function recordRunningStack(dataDir: string, url: string, library?: readonly string[]): void {
  const start = processStart(process.pid);
  const stack: RunningStack = {
    pid: process.pid,
    url,
    startedAt: new Date().toISOString(),
    ...(start && { processStart: start }),
    ...(library && { library }),
  };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(`${file(dataDir)}.new`, `${JSON.stringify(stack)}\n`);
  renameSync(`${file(dataDir)}.new`, file(dataDir));
}

export function removeRunningStack(dataDir: string): void {
  rmSync(file(dataDir), { force: true });
}
