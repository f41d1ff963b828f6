/**
 * Runs thousands of invocations of every kind, all with a key, half of them with a callback. Meanwhile it kills every process and Redis
 * (SIGKILL) in turn and restarts them. Counts accepted, ended and lost invocations, expected and delivered callbacks, and final states
 * that changed. Exit code 1 if there is a fault.
 *
 *   npm run build && node bench/drills/loss.mjs [invocations] [seed] [appendfsync | cluster] [kills]
 *
 * `kills`: how often each process is killed. By default, the kills go on until the last invocation has ended.
 * `appendfsync always` (by default): an accepted invocation is in the file of Redis before the API responds. With `everysec`, Redis may
 * hold back writes during a sync, and a kill at that moment loses accepted work. With `cluster`, Redis is a Cluster of six nodes with eight
 * shards, whose primaries are killed and paused in turn.
 */
import { existsSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { quantile } from '../measure.mjs';
import { ask } from './client.mjs';
import { report } from './figures.mjs';
import { killInTurn } from './kill-in-turn.mjs';
import { MORE_KINDS, writeLibrary } from './kinds.mjs';
import { isAsItShould, MixedLoad } from './mixed-load.mjs';
import { randomFrom } from './random.mjs';
import { startReceiver } from './receiver.mjs';
import { Stack } from './stack.mjs';

const [count = '1000', seed = '1', appendfsync = 'always', rounds = 'Infinity'] = process.argv.slice(2);
const COUNT = Number(count);
const SECRET = `whsec_${Buffer.from('a secret that drills sign with').toString('base64')}`;
/** After this time without a callback, none will come: a deferred delivery resumes after one minute at the latest. */
const LONGEST_SILENCE_MS = 240_000;
/** Longer than the pauses that a busy machine causes between two renewals of a lock. */
const LOCKS = { ERRAND_LOCK_MS: '10000', ERRAND_STALLED_MS: '1000' };
/** An accepted invocation is in the memory of a replica before the API responds. */
const ON_CLUSTER = { ERRAND_SHARDS: '8', ERRAND_REDIS_MIN_REPLICAS: '1' };
const DOCKER = existsSync('/var/run/docker.sock') && process.env.ERRAND_NO_DOCKER !== 'true';
const READERS = 20;

const random = randomFrom(Number(seed));
const kinds = Object.fromEntries(Object.entries(MORE_KINDS).filter(([, { needsDocker }]) => DOCKER || !needsDocker));
if (!DOCKER) console.log('Docker is not available: scripts are left out.');

/** The number of kills, by name of the process. */
const killed = new Map();
let cluster;

/** What happened to the primaries of a Cluster. */
function losses() {
  return Object.entries(cluster?.counts ?? {}).map(([how, times]) => ({
    what: `primaries ${how}`,
    count: times,
    atLeast: 1,
  }));
}

/** Waits until every expected callback has come, or no more come. */
async function untilTold(owed, taken) {
  let [came, since] = [taken.size, Date.now()];
  while (Date.now() - since < LONGEST_SILENCE_MS && owed.some(({ id }) => !taken.has(messageOf(id)))) {
    await setTimeout(100);
    if (taken.size > came) [came, since] = [taken.size, Date.now()];
  }
}

/** Reads each invocation once more, into `last`. */
async function readAgain(url, ended) {
  const left = [...ended];
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      for (let one = left.pop(); one; one = left.pop()) one.last = (await ask(`${url}/v1/invocations/${one.id}`)).body;
    }),
  );
}

const messageOf = (id) => id.replace('inv_', 'msg_');

function countAll(ended, { taken, forged }, names) {
  const came = ended.filter(({ first }) => first);
  const owed = ended.filter(({ told }) => told);
  const told = owed.filter(({ id }) => taken.has(messageOf(id)));
  const messages = told.map(({ id }) => taken.get(messageOf(id)));
  const states = (one) => [one.last?.status, ...(taken.get(messageOf(one.id)) ?? []).map(({ data }) => data.status)];
  const changed = came.filter((one) => states(one).some((status) => status !== one.first.status));
  const lateness = messages.map(([{ at, data }]) => (at - Date.parse(data.finishedAt)) / 1_000);
  return [
    ...names.map((name) => ({ what: `kills of ${name}`, count: killed.get(name) ?? 0, atLeast: 1 })),
    ...losses(),
    { what: 'accepted', count: ended.length, atLeast: COUNT },
    ...Object.keys(kinds).map((kind) => ({
      what: `… ${kind}`,
      count: ended.filter(({ name }) => name === kind).length,
      atLeast: 1,
    })),
    { what: 'ended', count: came.length, exactly: ended.length },
    { what: 'lost', count: ended.length - came.length, exactly: 0 },
    {
      what: 'given up: two processes died, and no step finished in between',
      count: came.filter(isGivenUp).length,
    },
    { what: 'submitted again with the same key', count: came.filter(({ repeated }) => repeated).length, atLeast: 1 },
    { what: 'with a wrong end', count: came.filter(isWrong).length, exactly: 0 },
    { what: 'final states that changed', count: changed.length, exactly: 0 },
    { what: 'callbacks expected', count: owed.length, atLeast: 1 },
    { what: 'callbacks delivered', count: told.length, exactly: owed.length },
    {
      what: 'callbacks that are unexpected or have a wrong signature',
      count: forged() + taken.size - told.length,
      exactly: 0,
    },
    {
      what: 'delivered again with the same webhook-id',
      count: messages.reduce((sum, all) => sum + all.length - 1, 0),
    },
    ...[0.5, 0.99, 1].map((q) => ({
      what: `seconds from the end to its callback, ${q === 1 ? 'the latest' : `of ${100 * q} % at most`}`,
      count: (quantile(lateness, q) ?? 0).toFixed(1),
    })),
  ];
}

const isGivenUp = ({ first, repair }) => [first, repair].some((each) => each?.error?.type === 'LostError');
const isWrong = (one) => !isGivenUp(one) && !isAsItShould(one);

/** Prints each fault. */
async function explain(url, ended, taken) {
  for (const one of ended) {
    const { id, name, first, told } = one;
    if (!first)
      console.log(`lost: ${id} (${name}): ${JSON.stringify((await ask(`${url}/v1/invocations/${id}`)).body)}`);
    else if (isWrong(one)) console.log(`wrong: ${JSON.stringify(one)}`);
    if (!told || taken.has(messageOf(id))) continue;
    const { body } = await ask(`${url}/v1/invocations/${id}/deliveries`);
    console.log(`no callback: ${id} (${name}, ${first?.status} ${first?.error?.type ?? ''}): ${JSON.stringify(body)}`);
  }
}

const library = writeLibrary();
const receiver = await startReceiver(SECRET);
let stack;
try {
  const env = {
    ...LOCKS,
    ERRAND_LIBRARY: library,
    ERRAND_CALLBACK_ALLOW: '127.0.0.1',
    ERRAND_WEBHOOK_SECRET: SECRET,
    ERRAND_CALLBACK_BACKOFF: Array(60).fill('1').join(' '),
  };
  const apps = ['api', 'worker', 'worker', ...(DOCKER ? ['script-runner'] : [])];
  if (appendfsync === 'cluster') cluster = await (await import('./redis-cluster.mjs')).startCluster(random);
  stack = await Stack.start(apps, { ...env, ...(cluster && ON_CLUSTER) }, cluster ?? appendfsync);
  const { names, url } = stack;
  const stop = new AbortController();
  const killing = killInTurn({ stack, random, stop: stop.signal, killed, rounds: Number(rounds) });
  const load = new MixedLoad({ url, callbackUrl: receiver.url, random, kinds, count: COUNT });
  const deadline = Date.now() + 600_000 + COUNT * 200;
  await load.run(() => killed.size === names.length && losses().every((one) => one.count > 0), deadline);
  stop.abort();
  await killing;
  const owed = load.ended.filter(({ told }) => told);
  await untilTold(owed, receiver.taken);
  await readAgain(url, load.ended);
  process.exitCode = report(countAll(load.ended, receiver, names));
  await explain(url, load.ended, receiver.taken);
} finally {
  await stack?.stop();
  receiver.stop();
  rmSync(library, { recursive: true, force: true });
}
