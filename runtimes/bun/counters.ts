import { readFileSync } from 'node:fs';

interface Place {
  path: string;
  key: string;
  unit: number;
}

const CPU: Place[] = [
  { path: 'cpu.stat', key: 'usage_usec', unit: 1e3 },
  { path: 'cpuacct/cpuacct.usage', key: '', unit: 1e6 },
];
const OOM_KILLS: Place[] = ['memory.events', 'memory/memory.oom_control'].map((path) => ({
  path,
  key: 'oom_kill',
  unit: 1,
}));
const REFUSED_FORKS: Place[] = ['pids.events', 'pids/pids.events'].map((path) => ({ path, key: 'max', unit: 1 }));

/**
 * What the container's control group has counted since this was made (the container may have served others), version 2 or 1;
 * 0 where the runtime shows none.
 */
export class Counters {
  private readonly start = { cpu: read(CPU), oomKills: read(OOM_KILLS), refusedForks: read(REFUSED_FORKS) };

  cpuMs(): number {
    return read(CPU) - this.start.cpu;
  }

  sinceTheStart() {
    return {
      oomKills: read(OOM_KILLS) - this.start.oomKills,
      refusedForks: read(REFUSED_FORKS) - this.start.refusedForks,
    };
  }
}

function read(places: Place[]): number {
  for (const { path, key, unit } of places) {
    try {
      for (const line of readFileSync(`/sys/fs/cgroup/${path}`, 'utf8').trimEnd().split('\n')) {
        const [name, value] = key === '' ? ['', line] : line.split(' ');
        if (name === key) return Number(value) / unit;
      }
    } catch {
      // The other version, or none.
    }
  }
  return 0;
}
