/**
 * Removes everything of a run before the next run of the same tool. See `runtimes/python/leave_nothing.py`.
 */
import { chmodSync, readdirSync, rmdirSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { clearFlags } from './libc.ts';
import { reapSiblings, type RunUser } from './run-user.ts';

const WRITABLE: Record<string, number> = { '/tmp': 0o1777, '/script': 0o755 };
const PATIENCE_MS = 1_000;
const STDERR = 2;
const INIT = '1';

/** Returns true if nothing is left. A container that cannot be proven clean is not used again. */
export function leaveNothingBehind(user: RunUser): boolean {
  if (!endEveryone(user)) return false;
  clearFlags(STDERR);
  try {
    emptyFolders(user);
    return true;
  } catch {
    return false;
  }
}

/** Makes all writable folders as they are in a new container. */
export function emptyFolders(user: RunUser): void {
  for (const [folder, mode] of Object.entries(WRITABLE)) chmodSync(folder, mode);
  user.act(() => empty('/tmp'));
  empty('/script');
  for (const folder of Object.keys(WRITABLE)) utimesSync(folder, 0, 0);
}

/**
 * Kills all processes of the run in one call, so that no fork can escape. Returns true when /proc shows only the container's
 * init and this process.
 */
export function endEveryone(user: RunUser): boolean {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    try {
      user.act(() => process.kill(-1, 'SIGKILL'));
    } catch {
      // No process is left.
    }
    if (readdirSync('/proc').every(isOurs)) return true;
    reapSiblings();
    Bun.sleepSync(1); // until init has reaped the others
  }
  return false;
}

function isOurs(name: string): boolean {
  return !/^\d+$/.test(name) || name === INIT || name === String(process.pid);
}

/** No other process is left, so no path can change its meaning. A tree that is too deep is not proven clean. */
function empty(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) unlinkSync(path);
    else {
      chmodSync(path, 0o700);
      empty(path);
      rmdirSync(path);
    }
  }
}
