import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isObject } from '@errand/contracts';

/**
 * A new name at every start, for containers of an earlier life of a process are orphans. It says where the process runs: the
 * host, its namespace of process ids, and its process id.
 */
export function newRunnerId(): string {
  return `${here()}${process.pid}-${randomUUID()}`;
}

/** Whether the process of this name ran where this one runs, and is gone: then nobody needs to wait for its sign of life. */
export function isGoneFromHere(runnerId: string): boolean {
  const place = here();
  const pid = runnerId.startsWith(place) ? Number.parseInt(runnerId.slice(place.length), 10) : NaN;
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isObject(error) && error.code === 'ESRCH';
  }
}

/** Process ids mean nothing outside of their namespace; where there are none, the name fits nobody's. */
function here(): string {
  try {
    return `${hostname()}-${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}-`;
  } catch {
    return `${hostname()}-${randomUUID()}-`;
  }
}
