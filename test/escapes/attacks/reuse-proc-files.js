/*
Attack: open the files in /proc of the container's init, of the supervisor and of its helper: open files, memory,
environment, folders.
Defence: these processes belong to another user; the kernel shows only their names and numbers.
Runs: 2
Expect: []
*/
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

const READ = [
  'mem',
  'environ',
  'auxv',
  'maps',
  'fd/0',
  'fd/1',
  'fd/2',
  'fd/3',
  'fd/4',
  'fd/5',
  'fd/6',
  'fd/7',
  'fdinfo/0',
];
const WRITTEN = ['mem', 'oom_score_adj', 'comm', 'coredump_filter', 'fd/0', 'fd/1', 'fd/2', 'fd/3'];
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

function read(path) {
  const fd = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    return path.includes('/fd/') || readSync(fd, Buffer.alloc(1)) > 0;
  } finally {
    closeSync(fd);
  }
}

/** A masked file opens as /dev/null, which holds no data. */
const write = (path) => fstatSync(openSync(path, O_WRONLY | O_NONBLOCK)).rdev === 0;

isFirstRun();
const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
if (others.length < 2) throw new Error('init and the supervisor should be running');
const attempts = others.flatMap((pid) => [
  ...READ.map((name) => [`read ${pid}/${name}`, () => read(`/proc/${pid}/${name}`)]),
  ...WRITTEN.map((name) => [`write ${pid}/${name}`, () => write(`/proc/${pid}/${name}`)]),
  ...['fd', 'fdinfo', 'cwd/.', 'root/.'].map((name) => [
    `list ${pid}/${name}`,
    () => readdirSync(`/proc/${pid}/${name}`),
  ]),
]);
await report(Object.fromEntries(attempts));
