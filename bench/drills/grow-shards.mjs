/**
 * Grows an installation from one shard to eight while invocations of every kind are submitted, with keys and sessions, and every process and Redis
 * are killed in turn. Counts submitted, ended and lost invocations. Exit code 1 if there is a fault.
 *
 *   npm run build && node bench/drills/grow-shards.mjs [invocations] [seed]
 *
 * The growth is recorded after a quarter of the invocations. The load goes on until every shard has work and every process was killed after
 * the growth. Nothing needs Docker.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ask } from './client.mjs';
import { report } from './figures.mjs';
import { killInTurn } from './kill-in-turn.mjs';
import { MORE_KINDS, writeLibrary } from './kinds.mjs';
import { isAsItShould, MixedLoad } from './mixed-load.mjs';
import { randomFrom } from './random.mjs';
import { Stack } from './stack.mjs';

const require = createRequire(import.meta.url);
const { connectQueues, recordShardCount } = require('../../dist/libs/queue/src/index.js');
const { shardOfId } = require('../../dist/libs/queue/src/shards/shard-of-id.js');

const [count = '600', seed = '1'] = process.argv.slice(2);
const COUNT = Number(count);
const SHARDS = 8;
const SESSIONS = 12;
const AGAIN_MS = 200;
/** How many keys are sent again at the end. */
const KEYS = 100;
/** Longer than the pauses that a busy machine causes between two renewals of a lock. */
const LOCKS = { ERRAND_LOCK_MS: '10000', ERRAND_STALLED_MS: '1000' };

const random = randomFrom(Number(seed));
const withoutDocker = Object.entries(MORE_KINDS).filter(([, { needsDocker }]) => !needsDocker);
/** Every kind, and an effect that happens once in its session, whichever invocation asks for it. */
const kinds = {
  ...Object.fromEntries(withoutDocker),
  effect: {
    request: (n) => ({
      toolId: 'kinds:mark',
      arguments: { of: `effect ${n % SESSIONS}` },
      session: `session ${n % SESSIONS}`,
    }),
    result: (n) => `effect ${n % SESSIONS}`,
  },
};

/** The processes that were killed since the growth. */
const killed = new Map();
const library = writeLibrary();
/** A line for each effect. */
const marks = join(library, 'marks');
writeFileSync(marks, '');
const shardsOf = (list) => new Set(list.map(({ id }) => shardOfId(id)));

/** Records the growth when a quarter of the load is accepted. Redis may be away. */
async function grow(stack, load) {
  while (load.accepted.length < COUNT / 4) await setTimeout(AGAIN_MS);
  const queues = connectQueues(stack.redis.url, { ageSeconds: 1, count: 1 });
  try {
    for (;;) {
      const layout = await recordShardCount(queues.redis, SHARDS).catch(() => undefined);
      if (layout) break;
      await setTimeout(AGAIN_MS);
    }
  } finally {
    await queues.close();
  }
  killed.clear();
}

/** Every shard has got work, and every process was killed since. The keyspace {errand} has what came before. */
function isGrown(load, names) {
  const shards = shardsOf(load.accepted);
  shards.delete(undefined);
  return shards.size === SHARDS && names.every((name) => killed.has(name));
}

/** How many of the last submissions get another id when they are sent again with their key. */
async function countOtherIds(url, accepted) {
  let others = 0;
  for (let n = 0; n < KEYS; n++) {
    const one = accepted[Math.floor((n * accepted.length) / KEYS)];
    const headers = { 'idempotency-key': one.key };
    // In a batch, the key belongs to an item.
    const { body } = await ask(`${url}/v1/invocations`, { method: 'POST', body: one.body, headers });
    if (body.id !== one.id) others++;
  }
  return others;
}

/** The invocations of all pages of the list. */
async function countListed(url) {
  const listed = new Set();
  for (let cursor = ''; ;) {
    const { body } = await ask(`${url}/v1/invocations?limit=100${cursor}`);
    for (const { id } of body.items) listed.add(id);
    if (body.nextCursor === null) return listed;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

/**
 * How many effects of a session happened again. An earlier layout may have the claim of the effect. After a lost attempt, the next invocation may
 * try again.
 */
function countDoubled(ended) {
  const lost = new Set(ended.filter(isGivenUp).map(({ body }) => body.arguments?.of));
  const lines = readFileSync(marks, 'utf8').trim().split('\n');
  const known = lines.filter((line) => !lost.has(line));
  return known.length - new Set(known).size;
}

const isGivenUp = ({ first, repair }) => [first, repair].some((each) => each?.error?.type === 'LostError');
const isWrong = (one) => one.first && !isGivenUp(one) && !isAsItShould(one);

async function countAll(url, { accepted, ended }, names) {
  const came = ended.filter(({ first }) => first);
  const listed = await countListed(url);
  const before = accepted.filter(({ id }) => shardOfId(id) === undefined).length;
  return [
    ...names.map((name) => ({ what: `kills of ${name} after the growth`, count: killed.get(name) ?? 0, atLeast: 1 })),
    { what: 'submitted', count: accepted.length, atLeast: COUNT },
    { what: '… before the growth began', count: before, atLeast: 1 },
    { what: '… to the eight shards', count: accepted.length - before, atLeast: SHARDS },
    { what: 'ended', count: came.length, exactly: accepted.length },
    { what: 'lost', count: accepted.length - came.length, exactly: 0 },
    { what: 'given up: two processes died, and no step finished in between', count: came.filter(isGivenUp).length },
    { what: 'with a wrong end', count: came.filter(isWrong).length, exactly: 0 },
    { what: 'missing in the list', count: accepted.filter(({ id }) => !listed.has(id)).length, exactly: 0 },
    { what: 'other ids for the same key', count: await countOtherIds(url, accepted), exactly: 0 },
    { what: 'effects that happened twice in their session', count: countDoubled(ended), exactly: 0 },
  ];
}

let stack;
try {
  stack = await Stack.start(
    ['api', 'worker', 'worker'],
    { ...LOCKS, ERRAND_LIBRARY: library, KINDS_MARKS: marks },
    'always',
  );
  const { names, url } = stack;
  const load = new MixedLoad({ url, random, kinds, count: COUNT });
  const stop = new AbortController();
  const killing = killInTurn({ stack, random, stop: stop.signal, killed });
  const growing = grow(stack, load);
  const deadline = Date.now() + 600_000 + COUNT * 200;
  await load.run(() => isGrown(load, names), deadline);
  stop.abort();
  await Promise.all([killing, growing]);
  process.exitCode = report(await countAll(url, load, names));
  for (const one of load.ended) if (!one.first || isWrong(one)) console.log(`fault: ${JSON.stringify(one)}`);
} finally {
  await stack?.stop();
  rmSync(library, { recursive: true, force: true });
}
