/*
Attack: change the kernel or the limits of the script through /proc and /sys: core pattern, sysrq, control groups.
Defence: /proc/sys, /sys and the control groups are mounted read-only; a process cannot lower its oom_score_adj below
the floor.
Expect: []
*/
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './attempts.js';

const write = (path, text = '1') => [path, () => writeFileSync(path, text)];
const bounds = { release_agent: '/bin/true', 'memory.limit_in_bytes': '-1', 'memory.max': 'max', 'pids.max': 'max' };
const groups = ['/sys/fs/cgroup', ...readdirSync('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name))];
const found = groups.flatMap((group) => Object.entries(bounds).map(([name, text]) => [join(group, name), text]));

await report(
  Object.fromEntries([
    write('/proc/sys/kernel/core_pattern', '|/bin/true'),
    write('/proc/sysrq-trigger', 'b'),
    write('/proc/self/uid_map', '0 0 1'),
    write('/proc/self/oom_score_adj', '-1000'),
    ...found.filter(([path]) => existsSync(path)).map(([path, text]) => write(path, text)),
  ]),
);
