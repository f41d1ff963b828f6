import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../../..');
/** Prints the niceness of the main thread before and after the call, of the other threads, and of a worker thread that starts later. */
const PROGRAM = `
const { readdirSync, readFileSync } = require('node:fs');
const { Worker } = require('node:worker_threads');
const { lowerBackgroundThreads } = require('./dist/libs/platform/src/background-threads.js');
const nicenessOf = (thread) => Number(readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ')[1].split(' ')[16]);
const threads = () => readdirSync('/proc/self/task').map(Number);
const before = threads();
const own = nicenessOf(process.pid);
lowerBackgroundThreads();
const worker = new Worker('setInterval(() => {}, 1000); require("node:worker_threads").parentPort.postMessage("ready")', { eval: true });
worker.on('message', () => {
  const later = threads().filter((thread) => !before.includes(thread));
  const others = before.filter((thread) => thread !== process.pid);
  console.log(JSON.stringify({
    own, main: nicenessOf(process.pid), others: others.map(nicenessOf), later: later.map(nicenessOf),
  }));
  process.exit(0);
});
`;

interface Printed {
  own: number;
  main: number;
  others: number[];
  later: number[];
}

describe('The threads of V8', () => {
  const onLinux = process.platform === 'linux' ? it : it.skip;
  if (onLinux === it.skip) console.warn('skipped: only Linux has priorities for single threads');

  onLinux('They have a lower priority. The main thread and a later worker thread keep theirs', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM], { cwd: ROOT });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what the program prints
    const { own, main, others, later } = JSON.parse(stdout) as Printed;
    expect(others.length).toBeGreaterThan(0);
    expect(main).toBe(own);
    for (const niceness of others) expect(niceness).toBe(Math.max(own, 10));
    expect(later.length).toBeGreaterThan(0);
    for (const niceness of later) expect(niceness).toBe(own);
  });
});
