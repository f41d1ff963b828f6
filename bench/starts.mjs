// The processor time of each start, until the process is ready or the command has ended. The baselines are the same bare processes as in api.mjs,
// and `node -e 0`. They leave out the library, its schemas, and everything that Errand adds to Fastify and BullMQ.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuTimeOf, freePort, sideBySide, startModule, startRedis, table } from './measure.mjs';

const ROUNDS = 5;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
const redis = await startRedis();

/** The processor time of a process until it is ready, in ms. */
async function timeOfStart(module, env) {
  const { pid, stop } = await startModule(here(module), env);
  const ms = cpuTimeOf(pid);
  await stop();
  return ms;
}

const errand = async (app) =>
  timeOfStart('start-app.mjs', {
    APP: app,
    ERRAND_REDIS_URL: redis.url,
    ERRAND_PORT: String(await freePort()),
    ERRAND_DATA_DIR: folder,
    ERRAND_LIBRARY: here('../examples'),
    ERRAND_LOG_LEVEL: 'fatal',
  });
const bare = (module) => timeOfStart(module, { REDIS_URL: redis.url });

/** The processor time of all ended children so far, in ms. Linux counts in hundredths of a second. */
function timeOfChildren() {
  const [, fields] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(13, 15);
  return (Number(user) + Number(system)) * 10;
}

async function timeOfCommand(...args) {
  const before = timeOfChildren();
  const { status, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, ERRAND_DATA_DIR: folder } });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${String(stderr)}`);
  return timeOfChildren() - before;
}

const command = (...args) => timeOfCommand(here('../errand'), ...args);
const rows = [
  ['API beside Fastify and BullMQ', () => errand('api'), () => bare('bare-route.mjs')],
  ["worker beside BullMQ's `Worker`", () => errand('worker'), () => bare('bare-worker.mjs')],
  ['`./errand help` beside `node -e 0`', () => command('help'), () => timeOfCommand('-e', '0')],
  ['`./errand tools check` beside `node -e 0`', () => command('tools', 'check'), () => timeOfCommand('-e', '0')],
];
const measured = [];
for (const [what, ours, theirs] of rows) measured.push([what, await sideBySide(ROUNDS, ours, theirs)]);
await redis.stop();
rmSync(folder, { recursive: true, force: true });
console.log(
  table(
    ['start', 'Errand', 'baseline', 'ratio'],
    measured.map(([what, { ours, theirs, ratio }]) => [what, `${ours} ms`, `${theirs} ms`, ratio.toFixed(1)]),
  ),
);
