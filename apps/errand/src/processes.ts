import { accessSync, constants, existsSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { KnownError } from '@errand/contracts';

const LEFTOVER_MS = 10_000;

/** The path of the first of these programs that is on the PATH. */
export function findExecutable(...names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process exists, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The start of a process, in clock ticks since the boot. Pid and start together identify one process, although pids are reused.
 * Undefined if the process does not exist, is a zombie, or there is no /proc.
 */
export function processStart(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // Fields 3 and 22 of the line. Field 2 is the name of the program in brackets, and can contain any character.
  const afterName = readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const [state, start] = [afterName[0], afterName[19]];
  return state === 'Z' || state === 'X' ? undefined : start;
}

/** Ends the process of a pid file if its working directory is `folder`. Such a process has survived its parent. */
export async function endLeftover(pidFile: string, folder: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const isThere = () => worksIn(pid) === folder;
  if (isThere()) process.kill(pid, 'SIGTERM');
  for (const end = Date.now() + LEFTOVER_MS; isThere(); await delay(20)) {
    if (Date.now() > end)
      throw new KnownError(`Process ${pid} uses ${folder} and does not end: end it with \`kill -9 ${pid}\``);
  }
  rmSync(pidFile, { force: true });
}

function worksIn(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
