/**
 * Runs invocations of every kind, half of them with a callback, while every process and Redis are killed (SIGKILL) in turn and come
 * back, and counts: what was accepted, what ended, what was lost; callbacks owed and delivered; final states that changed.
 * Exit code 1 if a promise is broken.
 *
 *   npm run build && node bench/drills/loss.mjs [invocations] [seed] [appendfsync]
 *
 * `appendfsync always` (by default): what was accepted is in the file of Redis before the caller is told. With `everysec`, Redis may hold
 * back what it writes while it syncs, and a kill in that moment takes accepted work along.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ask, untilEnded } from './client.mjs';
import { report } from './figures.mjs';
import { KINDS, writeLibrary } from './kinds.mjs';
import { pick, randomFrom } from './random.mjs';
import { startReceiver } from './receiver.mjs';
import { Stack } from './stack.mjs';

const [count = '1000', seed = '1', appendfsync = 'always'] = process.argv.slice(2);
const COUNT = Number(count);
const BATCH = 20;
const SECRET = `whsec_${Buffer.from('a secret that drills sign with').toString('base64')}`;
/** A callback that waited for its turn in a worker that died is looked at again after a minute at the latest. */
const LONGEST_ASIDE_MS = 90_000;
/** Longer than a busy machine keeps a process from renewing its locks. */
const LOCKS = { ERRAND_LOCK_MS: '3000', ERRAND_STALLED_MS: '1000' };
const DOCKER = existsSync('/var/run/docker.sock') && process.env.ERRAND_NO_DOCKER !== 'true';

const random = randomFrom(Number(seed));
const kinds = Object.entries(KINDS).filter(([, { needsDocker }]) => DOCKER || !needsDocker);
if (!DOCKER) console.log('There is no Docker engine here: no scripts are run.');

/** The next submission: what is asked, and what must come of it. */
function makeOne(callbackUrl) {
  const [name, kind] = pick(random, kinds);
  const n = Math.floor(random() * 1_000);
  const told = random() < 0.5;
  const body = { ...kind.request(n), ...(told && { callback: { url: callbackUrl } }) };
  return { name, kind, n, told, body };
}

/** Submits one by one and in batches, until it is enough and each has been killed. Gives what was accepted. */
async function submitAll({ url, names }, callbackUrl) {
  const accepted = [];
  while (accepted.length < COUNT || killed.size < names.length) {
    if (random() < 0.1) accepted.push(...(await submitBatch(url, callbackUrl, BATCH)));
    else accepted.push(...(await submitBatch(url, callbackUrl, 1)));
    await setTimeout(random() * (accepted.length < COUNT ? 20 : 500));
  }
  return accepted;
}

/** What was not answered is sent again under its key. */
async function submitBatch(url, callbackUrl, size) {
  const made = Array.from({ length: size }, () => makeOne(callbackUrl));
  const items = made.map(({ body }) => body);
  const path = size === 1 ? '/v1/invocations' : '/v1/invocations/batch';
  const answer = await ask(url + path, {
    method: 'POST',
    body: size === 1 ? items[0] : { items },
    headers: { 'idempotency-key': randomUUID() },
  });
  const taken = size === 1 ? [answer.body] : answer.body.items;
  return made.map((one, n) => {
    if (!taken?.[n]?.id) throw new Error(`${one.name} was refused: ${JSON.stringify(taken?.[n] ?? answer.body)}`);
    return { ...one, id: taken[n].id };
  });
}

/** Answers what asks somebody outside. */
async function answerAll(url, accepted, deadline) {
  for (const { id, kind, n } of accepted) {
    if (!kind.asked) continue;
    await ask(`${url}/v1/invocations/${id}/steps/0/result`, { method: 'POST', body: { result: n }, deadline });
  }
}

/** How often each was killed, by name. */
const killed = new Map();

/** Kills each in turn, again and again. */
async function killInTurn(stack, stop) {
  const { names } = stack;
  for (let turn = 0; ; turn++) {
    await setTimeout(500 + random() * 1_500, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
    const name = names[turn % names.length];
    killed.set(name, (killed.get(name) ?? 0) + 1);
    await stack.kill(name, random() * 1_000);
  }
}

/** Waits until every callback that is owed has come, or `deadline` has. */
async function untilTold(owed, taken, deadline) {
  while (Date.now() < deadline && owed.some(({ id }) => !taken.has(messageOf(id)))) await setTimeout(100);
}

const messageOf = (id) => id.replace('inv_', 'msg_');

function isAsItShould({ kind, n, first }) {
  return kind.fails
    ? first.status === 'failed'
    : first.status === 'succeeded' && isDeepStrictEqual(first.result, kind.result(n));
}

function countAll(ended, { taken, forged }, names) {
  const came = ended.filter(({ first }) => first);
  const owed = ended.filter(({ told }) => told);
  const told = owed.filter(({ id }) => taken.has(messageOf(id)));
  const copies = told.map(({ id }) => taken.get(messageOf(id)).length);
  const states = (one) => [one.last?.status, ...(taken.get(messageOf(one.id)) ?? []).map(({ status }) => status)];
  const changed = came.filter((one) => states(one).some((status) => status !== one.first.status));
  const givenUp = came.filter(({ first }) => first.error?.type === 'LostError');
  const wrong = came.filter((one) => !givenUp.includes(one) && !isAsItShould(one));
  return [
    ...names.map((name) => ({ what: `kills of ${name}`, count: killed.get(name) ?? 0, atLeast: 1 })),
    { what: 'accepted', count: ended.length, atLeast: COUNT },
    ...kinds.map(([kind]) => ({
      what: `… ${kind}`,
      count: ended.filter(({ name }) => name === kind).length,
      atLeast: 1,
    })),
    { what: 'ended', count: came.length, exactly: ended.length },
    { what: 'lost', count: ended.length - came.length, exactly: 0 },
    { what: 'given up: two processes died with it, and no step was finished between', count: givenUp.length },
    { what: 'with another end than it should have', count: wrong.length, exactly: 0 },
    { what: 'final states that changed', count: changed.length, exactly: 0 },
    { what: 'callbacks owed', count: owed.length, atLeast: 1 },
    { what: 'callbacks delivered', count: told.length, exactly: owed.length },
    {
      what: 'callbacks nobody is owed, or whose signature is wrong',
      count: forged() + taken.size - told.length,
      exactly: 0,
    },
    { what: 'delivered again under the same webhook-id', count: copies.reduce((sum, times) => sum + times - 1, 0) },
  ];
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
  stack = await Stack.start(['api', 'worker', 'worker', ...(DOCKER ? ['script-runner'] : [])], env, appendfsync);
  const stop = new AbortController();
  const { names } = stack;
  const killing = killInTurn(stack, stop.signal);
  const accepted = await submitAll({ url: stack.url, names }, receiver.url);
  const deadline = Date.now() + 120_000 + COUNT * 200;
  const answering = answerAll(stack.url, accepted, deadline);
  const ended = [];
  for (const one of accepted) ended.push({ ...one, first: await untilEnded(stack.url, one.id, deadline) });
  await answering;
  stop.abort();
  await killing;
  await untilTold(
    accepted.filter(({ told }) => told),
    receiver.taken,
    Date.now() + LONGEST_ASIDE_MS,
  );
  for (const one of ended) one.last = (await ask(`${stack.url}/v1/invocations/${one.id}`)).body;
  process.exitCode = report(countAll(ended, receiver, names));
  for (const { id, name, first, told } of ended) {
    if (!first) console.log(`lost: ${id} (${name})`);
    if (!told || receiver.taken.has(messageOf(id))) continue;
    const { body } = await ask(`${stack.url}/v1/invocations/${id}/deliveries`);
    console.log(`not told: ${id} (${name}, ${first?.status} ${first?.error?.type ?? ''}): ${JSON.stringify(body)}`);
  }
} finally {
  await stack?.stop();
  receiver.stop();
  rmSync(library, { recursive: true, force: true });
}
