/**
 * Between two runs of one tool: nothing of the first may be there for the second. See `runtimes/python/leave_nothing.py`.
 */
import { chmodSync, readdirSync, rmdirSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { clearFlags } from './libc.ts';
import { reapSiblings, type RunUser } from './run-user.ts';

const WRITABLE: Record<string, number> = { '/tmp': 0o1777, '/script': 0o755 };
const PATIENCE_MS = 1_000;
const STDERR = 2;
const INIT = '1';

/** True when nothing is left. What cannot be proven clean is not used again. */
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

/** All folders that can be written: as in a new container. */
export function emptyFolders(user: RunUser): void {
  for (const [folder, mode] of Object.entries(WRITABLE)) chmodSync(folder, mode);
  user.act(() => empty('/tmp'));
  empty('/script');
  for (const folder of Object.keys(WRITABLE)) utimesSync(folder, 0, 0);
}

/**
 * Kills all processes of the run in one call that no fork can outrun. True when /proc shows no process but the container's init and
 * this one.
 */
export function endEveryone(user: RunUser): boolean {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    try {
      user.act(() => process.kill(-1, 'SIGKILL'));
    } catch {
      // There is nobody.
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

/** Nobody else is left, so no path changes its meaning on the way. A tree too deep for this is not proven clean. */
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
