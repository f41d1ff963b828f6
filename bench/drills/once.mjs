/**
 * Sends the same request many times at once to two APIs and counts the effects. A key must have one invocation. In a session, a tool with
 * `effects: once` must have one effect. Exit code 1 if there is a fault.
 *
 *   npm run build && node bench/drills/once.mjs [keys] [times]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, untilEnded } from './client.mjs';
import { report } from './figures.mjs';
import { writeLibrary } from './kinds.mjs';
import { Stack } from './stack.mjs';

const [KEYS = 200, TIMES = 50] = process.argv.slice(2).map(Number);
/** The number of keys at a time. */
const AT_ONCE = 4;

const folder = mkdtempSync(join(tmpdir(), 'errand-once-'));
const marks = join(folder, 'marks');
writeFileSync(marks, '');

/** Calls `make` for each number, some at a time. Returns the results in order. */
async function forEach(count, make) {
  const made = [];
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < count; n = next++) made[n] = await make(n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return made;
}

/** The same request many times at once, at each API in turn. */
function sendAtOnce({ urls }, body, headers = {}) {
  const send = (_, n) => ask(`${urls[n % urls.length]}/v1/invocations`, { method: 'POST', body, headers });
  return Promise.all(Array.from({ length: TIMES }, send));
}

const idsOf = (answers) => [...new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.id))];
const areAll = (answers, wanted) => answers.every(({ status }) => status === wanted);

/** For each key: the same body many times at once, then another body, which is a conflict. */
async function tryKeys(stack) {
  const request = (n) => ({ toolId: 'core:echo', arguments: { value: n }, metadata: { drill: 'once' } });
  const tried = await forEach(KEYS, async (n) => {
    const headers = { 'idempotency-key': `key-${n}` };
    const answers = await sendAtOnce(stack, request(n), headers);
    return { answers, others: await sendAtOnce(stack, request(n + 0.5), headers) };
  });
  const wrong = tried.filter(({ answers, others }) => !areAll(answers, 202) || !areAll(others, 409));
  const listed = (await ask(`${stack.url}/v1/invocations?metadata.drill=once&limit=1000`)).body.items;
  return [
    { what: 'keys', count: tried.length, exactly: KEYS },
    { what: '… requests with the same body', count: tried.length * TIMES },
    {
      what: '… invocations in their responses',
      count: idsOf(tried.flatMap(({ answers }) => answers)).length,
      exactly: KEYS,
    },
    { what: '… invocations in the list', count: listed.length, exactly: KEYS },
    { what: '… responses other than 202 for the same body, 409 for another', count: wrong.length, exactly: 0 },
  ];
}

/** For each session: the same call many times at once, without a key. */
async function trySessions(stack) {
  const ended = await forEach(KEYS, async (n) => {
    const body = { toolId: 'kinds:mark', arguments: { of: `${n}` }, session: `session ${n}` };
    const ids = idsOf(await sendAtOnce(stack, body));
    return Promise.all(ids.map((id) => untilEnded(stack.url, id, Date.now() + 600_000)));
  });
  const all = ended.flat();
  const lines = readFileSync(marks, 'utf8').trimEnd().split('\n');
  const deduplicated = all.filter((one) => one?.steps[0].deduplicatedFrom).length;
  return [
    { what: 'sessions', count: ended.length, exactly: KEYS },
    { what: '… invocations in them', count: all.length, exactly: KEYS * TIMES },
    { what: '… that succeeded', count: all.filter((one) => one?.status === 'succeeded').length, exactly: KEYS * TIMES },
    { what: '… with the result of another', count: deduplicated, exactly: KEYS * (TIMES - 1) },
    { what: '… effects', count: lines.length, exactly: KEYS },
    { what: '… sessions with an effect', count: new Set(lines).size, exactly: KEYS },
  ];
}

const library = writeLibrary();
let stack;
try {
  const env = { ERRAND_LIBRARY: library, KINDS_MARKS: marks };
  stack = await Stack.start(['api', 'api', 'worker', 'worker'], env);
  process.exitCode = report([...(await tryKeys(stack)), ...(await trySessions(stack))]);
} finally {
  await stack?.stop();
  for (const used of [library, folder]) rmSync(used, { recursive: true, force: true });
}
