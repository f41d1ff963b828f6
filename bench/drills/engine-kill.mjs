/**
 * Kills workers at random (SIGKILL) during hundreds of workflows, some of them random graphs. Half of the nodes have effects. Counts
 * accepted, succeeded and lost workflows, and nodes that ran twice. It is a fault if a node runs twice although its result was in the
 * journal, or if a node with effects begins before the results of its sources are there. A node that was running when its worker died
 * may run again, and so may a node without effects whose result was not written yet. Exit code 1 if there is a fault.
 *
 *   npm run build && node bench/drills/engine-kill.mjs [workflows] [seed] [workers]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startModule, startRedis } from '../measure.mjs';
import { workflowsFrom } from './drill-workflows.mjs';
import { report } from './figures.mjs';
import { pick, randomFrom } from './random.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const require = createRequire(import.meta.url);
const { Redis } = require('ioredis');
const { keys } = require('../../dist/libs/queue/src/redis/names.js');

const [COUNT = 300, SEED = 1, WORKERS = 3] = process.argv.slice(2).map(Number);
const FINAL = ['succeeded', 'failed', 'cancelled'];
/** On a fast machine, a few workflows may end before a worker dies with one of them. The drill then submits as many again. */
const MOST_ROUNDS = 20;

const random = randomFrom(SEED);
const { workflows, runs } = workflowsFrom(random);
const folder = mkdtempSync(join(tmpdir(), 'errand-drill-'));
const log = join(folder, 'marks');
writeFileSync(log, '');
mkdirSync(join(folder, 'workflows'));
for (const workflow of workflows)
  writeFileSync(join(folder, 'workflows', `${workflow.id}.json`), JSON.stringify(workflow));

const redis = await startRedis();
const env = {
  PATH: process.env.PATH,
  ERRAND_REDIS_URL: redis.url,
  ERRAND_LIBRARY: `${here('library')}:${folder}`,
  ERRAND_LOG_LEVEL: 'info',
};
const workerEnv = {
  ...env,
  ERRAND_WORKER_CONCURRENCY: '10',
  ERRAND_LOCK_MS: '1000',
  ERRAND_STALLED_MS: '500',
  DRILL_LOG: log,
  DRILL_JOURNALS: keys.journal(''),
};

/** The live workers. */
const workers = new Set();
const starting = new Set();

async function startWorker() {
  const worker = spawn(process.execPath, [...process.execArgv, here('../../dist/apps/worker/src/main.js')], {
    env: workerEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  starting.add(worker);
  for await (const chunk of worker.stderr) if (String(chunk).includes('worker ready')) break;
  worker.stderr.resume();
  starting.delete(worker);
  workers.add(worker);
}

async function kill(worker) {
  workers.delete(worker);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
}

/** Kills a worker now and then, while another one lives, and starts a new one. Returns the number of kills. */
async function killAtRandom(stop) {
  const replacements = [];
  while (!stop.aborted) {
    await setTimeout(500 + random() * 2_000, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted || workers.size < 2) continue;
    await kill(pick(random, [...workers]));
    replacements.push(startWorker());
  }
  await Promise.all(replacements);
  return replacements.length;
}

async function submit(url) {
  const names = Object.keys(runs);
  const accepted = [];
  for (let n = 0; n < COUNT; n++) {
    const name = pick(random, names);
    const start = Math.floor(random() * 1_000);
    const call = { toolId: `workflow:${name}`, arguments: runs[name].arguments(start) };
    const response = await fetch(`${url}/v1/invocations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    const body = await response.json();
    if (response.status !== 202) throw new Error(`${call.toolId} was refused: ${JSON.stringify(body)}`);
    accepted.push({ id: body.id, name, expected: runs[name].result(start) });
  }
  return accepted;
}

/** The ended invocation; undefined if it has not ended by `deadline`. */
async function untilEnded(url, id, deadline) {
  while (Date.now() < deadline) {
    const invocation = await (await fetch(`${url}/v1/invocations/${id}?wait=20`)).json();
    if (FINAL.includes(invocation.status)) return invocation;
  }
  return undefined;
}

/** The marks in the log: by invocation and node, the number of runs, whether it has effects, and the faults. */
function readMarks() {
  const marks = new Map();
  for (const line of readFileSync(log, 'utf8').trimEnd().split('\n')) {
    const { invocationId, nodeId, acts, repeated, early } = JSON.parse(line);
    const nodes = marks.get(invocationId) ?? new Map();
    const before = nodes.get(nodeId) ?? { times: 0, broken: false, early: false };
    const mark = { acts, times: before.times + 1, broken: before.broken || repeated, early: before.early || early };
    marks.set(invocationId, nodes.set(nodeId, mark));
  }
  return marks;
}

/** Steps of succeeded workflows: those without a mark, and those without a result in the journal. */
async function findGaps(succeeded, marks) {
  const client = new Redis(redis.url);
  let [missing, unwritten] = [0, 0];
  for (const { id, name } of succeeded) {
    const nodes = [...(marks.get(id)?.keys() ?? [])];
    const fields = new Set(await client.hkeys(keys.journal(id)));
    missing += runs[name].marks - nodes.length;
    unwritten += nodes.filter((node) => !fields.has(`0/${node}`)).length;
  }
  client.disconnect();
  return { missing, unwritten };
}

const isTakenOver = ({ invocation }) => invocation?.steps[0].attempts > 1;

/** Every count, with its exact or least value. A chaos test proves nothing below these bounds. */
async function countAll(ended, kills) {
  const succeeded = ended.filter(({ invocation }) => invocation?.status === 'succeeded');
  const lost = ended.filter(({ invocation }) => !invocation).length;
  const givenUp = ended.filter(({ invocation }) => invocation?.error?.type === 'LostError').length;
  const marks = readMarks();
  const all = [...marks.values()].flatMap((nodes) => [...nodes.values()]);
  const acting = all.filter(({ acts }) => acts);
  const pure = all.filter(({ acts }) => !acts);
  const isRepeated = ({ times, broken }) => times > 1 && !broken;
  const { missing, unwritten } = await findGaps(succeeded, marks);
  const wrong = succeeded.filter(({ invocation, expected }) => !isDeepStrictEqual(invocation.result, expected));
  const takenOver = ended.filter(isTakenOver);
  return [
    { what: 'workers killed', count: kills, atLeast: 1 },
    { what: 'workflows accepted', count: ended.length, atLeast: COUNT },
    { what: '… taken over by another worker', count: takenOver.length, atLeast: 1 },
    { what: '… succeeded', count: succeeded.length, exactly: ended.length },
    { what: '… lost: never ended', count: lost, exactly: 0 },
    { what: '… given up: workers died too often, and no node finished in between', count: givenUp, exactly: 0 },
    { what: '… with a wrong result', count: wrong.length, exactly: 0 },
    { what: 'nodes run', count: all.length, atLeast: ended.length },
    { what: '… never, though their workflow succeeded', count: missing, exactly: 0 },
    { what: '… and not in the journal', count: unwritten, exactly: 0 },
    { what: 'nodes with effects', count: acting.length, atLeast: 1 },
    {
      what: '… begun before their sources were journaled',
      count: acting.filter(({ early }) => early).length,
      exactly: 0,
    },
    { what: '… twice, though journaled', count: acting.filter(({ broken }) => broken).length, exactly: 0 },
    { what: '… twice, running when their worker died', count: acting.filter(isRepeated).length },
    { what: 'nodes without effects', count: pure.length, atLeast: 1 },
    {
      what: '… begun before their sources were journaled',
      count: pure.filter(({ early }) => early).length,
      atLeast: 1,
    },
    { what: '… twice, though journaled', count: pure.filter(({ broken }) => broken).length, exactly: 0 },
    { what: '… twice, running or not journaled when their worker died', count: pure.filter(isRepeated).length },
  ];
}

let api;
try {
  api = await startModule(here('../start-app.mjs'), { ...env, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'warn', APP: 'api' });
  await Promise.all(Array.from({ length: WORKERS }, startWorker));
  const stop = new AbortController();
  const killing = killAtRandom(stop.signal);
  const ended = [];
  for (let round = 0; round < MOST_ROUNDS && !ended.some(isTakenOver); round++) {
    const accepted = await submit(api.ready);
    const deadline = Date.now() + 600_000 + COUNT * 1_000;
    const endOf = async (each) => ({ ...each, invocation: await untilEnded(api.ready, each.id, deadline) });
    ended.push(...(await Promise.all(accepted.map(endOf))));
  }
  stop.abort();
  const figures = await countAll(ended, await killing);
  process.exitCode = report(figures);
  for (const { id, name, invocation } of ended)
    if (invocation?.error) console.log(`${id} (${name}): ${invocation.error.type}: ${invocation.error.message}`);
} finally {
  await Promise.all([...workers].map(kill));
  await api?.stop();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
}
