import { openSync, readSync } from 'node:fs';

interface Counter {
  fd: number;
  key: string;
  unit: number;
}

type Place = [path: string, key: string, unit: number];

const CPU = openCounter(['cpu.stat', 'usage_usec', 1e3], ['cpuacct/cpuacct.usage', '', 1e6]);
const OOM_KILLS = openCounter(['memory.events', 'oom_kill', 1], ['memory/memory.oom_control', 'oom_kill', 1]);
const REFUSED_FORKS = openCounter(['pids.events', 'max', 1], ['pids/pids.events', 'max', 1]);

/**
 * The counters of the container's control group, version 2 or 1, since the start of one run. The container may have served
 * other runs. A counter is 0 if the runtime does not show it.
 */
export class Counters {
  private readonly start = { cpu: read(CPU), oomKills: read(OOM_KILLS), forks: read(REFUSED_FORKS) };

  cpuMs(): number {
    return read(CPU) - this.start.cpu;
  }

  /** The number of refused processes and threads in the container; null if the runtime does not count them. */
  refusedForks(): number | null {
    return REFUSED_FORKS ? read(REFUSED_FORKS) - this.start.forks : null;
  }

  sinceTheStart() {
    return { oomKills: read(OOM_KILLS) - this.start.oomKills, refusedForks: this.refusedForks() };
  }
}

/** Opens the first file that exists, once for all runs. */
function openCounter(...places: Place[]): Counter | undefined {
  for (const [path, key, unit] of places) {
    try {
      return { fd: openSync(`/sys/fs/cgroup/${path}`), key, unit };
    } catch {
      // The runtime has the other version, or no counter.
    }
  }
  return undefined;
}

/** Reads the number behind the key, or the whole file. */
function read(counter: Counter | undefined): number {
  if (!counter) return 0;
  const bytes = Buffer.alloc(4096);
  const text = bytes.toString('latin1', 0, readSync(counter.fd, bytes, 0, bytes.length, 0)).trimEnd();
  for (const line of text.split('\n')) {
    const [name, value] = counter.key === '' ? ['', line] : line.split(' ');
    if (name === counter.key) return Number(value) / counter.unit;
  }
  return 0;
}
