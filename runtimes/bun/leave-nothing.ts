/**
 * Between two runs of one tool: nothing of the first may be there for the second. See `runtimes/python/leave_nothing.py`.
 */
import { chmodSync, readdirSync, rmdirSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { clearFlags } from './libc.ts';

const WRITABLE: Record<string, number> = { '/tmp': 0o1777, '/script': 0o755 };
const PATIENCE_MS = 1_000;
const STDERR = 2;

/** True when nothing is left. What cannot be proven clean is not used again. */
export function leaveNothingBehind(): boolean {
  if (!endEveryone()) return false;
  clearFlags(STDERR);
  try {
    emptyFolders();
    return true;
  } catch {
    return false;
  }
}

/** All folders that can be written: as in a new container. */
export function emptyFolders(): void {
  for (const [folder, mode] of Object.entries(WRITABLE)) {
    empty(folder, mode);
    utimesSync(folder, 0, 0);
  }
}

/** Kills all but the container's init and this process, in one call that no fork can outrun, until nobody is found. */
export function endEveryone(): boolean {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    try {
      process.kill(-1, 'SIGKILL');
    } catch {
      return true;
    }
    Bun.sleepSync(1); // until they have been reaped
  }
  return false;
}

/** Nobody else is left, so no path changes its meaning on the way. A tree too deep for this is not proven clean. */
function empty(folder: string, mode: number): void {
  chmodSync(folder, mode);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) unlinkSync(path);
    else {
      empty(path, 0o700);
      rmdirSync(path);
    }
  }
}
