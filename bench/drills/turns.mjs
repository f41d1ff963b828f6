/**
 * Runs turns of agents of every kind against a scripted model. Meanwhile it kills the API, the workers and Redis (SIGKILL) in turn and
 * restarts them. Counts ended turns, rounds that ran twice, doubled effects, doubled messages, and calls that were reported twice. Exit code
 * 1 if there is a fault.
 *
 *   npm run build && node bench/drills/turns.mjs [turns] [seed]
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ask, FINAL, untilEnded } from './client.mjs';
import { report } from './figures.mjs';
import { writeLibrary } from './kinds.mjs';
import { randomFrom } from './random.mjs';
import { Stack } from './stack.mjs';
import { startTurnModel, TURNS } from './turn-model.mjs';

const [count = '300', seed = '1'] = process.argv.slice(2);
const COUNT = Number(count);
const random = randomFrom(Number(seed));
const IN_FLIGHT = 30;
const READ_MS = 100;
const KINDS = Object.keys(TURNS);
/** Longer than the pauses that a busy machine causes between two renewals of a lock. */
const LOCKS = { ERRAND_LOCK_MS: '5000', ERRAND_STALLED_MS: '1000' };
const PAINT = { name: 'paint', parameters: { type: 'object', properties: { color: { type: 'string' } } } };

/** The number of kills, by name of the process. */
const killed = new Map();

async function killInTurn(stack, stop) {
  const { names } = stack;
  for (let turn = 0; ; turn++) {
    await setTimeout(1_000 + random() * 3_000, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
    const name = names[turn % names.length];
    killed.set(name, (killed.get(name) ?? 0) + 1);
    await stack.kill(name, random() * 1_000);
  }
}

/** Runs one turn to its end, and answers its client tools. */
async function runTurn(url, n, deadline) {
  const kind = KINDS[n % KINDS.length];
  const message = `${kind} ${n}`;
  const body = {
    toolId: 'agent:drill',
    session: `turns-${n}`,
    arguments: { message, ...(kind === 'client' && { tools: [PAINT] }) },
  };
  const headers = { 'idempotency-key': `turn-${seed}-${n}` };
  const { body: accepted } = await ask(`${url}/v1/invocations`, { method: 'POST', body, headers, deadline });
  const ended = await (kind === 'client' ? untilPainted : untilEnded)(url, accepted.id, deadline);
  return { n, kind, message, id: accepted.id, ended };
}

/** The ended turn, whose client tools are answered here. */
async function untilPainted(url, id, deadline) {
  while (Date.now() < deadline) {
    const { body } = (await ask(`${url}/v1/invocations/${id}`, { deadline })) ?? {};
    if (body && FINAL.includes(body.status)) return body;
    const calls = (body?.steps?.[0]?.rounds ?? []).flatMap((round) => round.calls);
    const open = calls.find((call) => call.client && !FINAL.includes(call.status));
    if (open && body.status === 'waiting_external') {
      const path = `/v1/invocations/${id}/calls/${open.callId}/result`;
      await ask(url + path, { method: 'POST', body: { result: 'done' }, deadline });
    }
    await setTimeout(READ_MS);
  }
  return undefined;
}

/** Reads what a reader of the session and of the events sees. */
async function readAgain(url, turn) {
  const messages = await ask(`${url}/v1/sessions/turns-${turn.n}/messages?agent=drill&limit=100`);
  const events = await fetch(`${url}/v1/invocations/${turn.id}/events`).then((response) => response.text());
  const calls = [...events.matchAll(/^event: (call|called)$/gm)].map(([, event]) => event);
  return { ...turn, messages: messages.body.items ?? [], calls };
}

const roundsOf = ({ ended }) => ended?.steps[0]?.rounds ?? [];
const isGivenUp = ({ ended }) => ended?.error?.type === 'LostError';
const expected = ({ kind, n }) => TURNS[kind](n);
const callsOf = (turn) => roundsOf(turn).reduce((sum, { calls }) => sum + calls.length, 0);
const isWrong = (turn) => turn.ended && !isGivenUp(turn) && turn.ended.result !== expected(turn).at(-1);

/** The ids of the messages that a conversation has twice, and the messages beyond one for each round and each Observation. */
function doubledMessages({ messages }) {
  const ids = messages.map(({ id }) => id);
  return ids.length - new Set(ids).size + messages.filter(({ role }) => role === 'user').length - 1;
}

/** The requests for a round after a request for a later one. */
function roundsRunTwice(rounds) {
  return rounds.filter((round, n) => rounds.slice(0, n).some((earlier) => earlier > round)).length;
}

function countAll(turns, asked, marks, names) {
  const sum = (of) => turns.reduce((total, turn) => total + of(turn), 0);
  const requests = [...asked.values()].reduce((total, rounds) => total + rounds.length, 0);
  const whole = turns.filter((turn) => !isGivenUp(turn));
  return [
    ...names.map((name) => ({ what: `kills of ${name}`, count: killed.get(name) ?? 0, atLeast: 1 })),
    { what: 'turns', count: turns.length, exactly: COUNT },
    ...KINDS.map((kind) => ({
      what: `… ${kind}`,
      count: turns.filter((turn) => turn.kind === kind).length,
      atLeast: 1,
    })),
    { what: 'ended', count: turns.filter(({ ended }) => ended).length, exactly: COUNT },
    { what: 'given up: two processes died, and nothing was stored in between', count: turns.length - whole.length },
    { what: 'with a wrong end', count: turns.filter(isWrong).length, exactly: 0 },
    {
      what: 'rounds run twice after they had ended',
      count: [...asked.values()].reduce((total, rounds) => total + roundsRunTwice(rounds), 0),
      exactly: 0,
    },
    { what: 'doubled effects', count: marks.length - new Set(marks).size, exactly: 0 },
    { what: 'doubled messages', count: sum(doubledMessages), exactly: 0 },
    {
      what: 'calls reported twice',
      count: whole.reduce(
        (total, turn) => total + turn.calls.filter((event) => event === 'call').length - callsOf(turn),
        0,
      ),
      exactly: 0,
    },
    {
      what: 'ends of calls reported twice',
      count: whole.reduce(
        (total, turn) => total + turn.calls.filter((event) => event === 'called').length - callsOf(turn),
        0,
      ),
      exactly: 0,
    },
    { what: 'requests to the model', count: requests },
    {
      what: '… beyond the least possible',
      count: requests - turns.reduce((total, turn) => total + expected(turn).length, 0),
    },
  ];
}

const library = writeLibrary();
const marksFile = join(library, 'marks');
writeFileSync(marksFile, '');
mkdirSync(join(library, 'agents'), { recursive: true });
const profile = {
  id: 'drill',
  core_deliberation_workflow_id: 'core:deliberate',
  tool_ids_inventory: ['core:echo', 'kinds:mark'],
};
writeFileSync(join(library, 'agents/drill.json'), JSON.stringify(profile));
const model = await startTurnModel();
let stack;
try {
  const env = {
    ...LOCKS,
    ERRAND_LIBRARY: library,
    ERRAND_LLM_BASE_URL: model.url,
    ERRAND_LLM_MODEL: 'drill',
    KINDS_MARKS: marksFile,
  };
  stack = await Stack.start(['api', 'worker', 'worker'], env, 'always');
  const { names, url } = stack;
  const stop = new AbortController();
  const killing = killInTurn(stack, stop.signal);
  const deadline = Date.now() + 600_000 + COUNT * 1_000;
  const turns = [];
  let next = 0;
  // A part of the turns begins with the load, and another one with the first kill of each process.
  const isDue = (n) => n < ((killed.size + 1) * COUNT) / (names.length + 1);
  const lane = async () => {
    while (next < COUNT)
      if (isDue(next)) turns.push(await runTurn(url, next++, deadline));
      else await setTimeout(READ_MS);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  while (killed.size < names.length) await setTimeout(READ_MS);
  stop.abort();
  await killing;
  const read = await Promise.all(turns.map((turn) => readAgain(url, turn)));
  const marks = readFileSync(marksFile, 'utf8').split('\n').filter(Boolean);
  process.exitCode = report(countAll(read, model.asked, marks, names));
  for (const turn of read) {
    const isOdd = !turn.ended || isWrong(turn) || doubledMessages(turn) > 0 || turn.calls.length !== 2 * callsOf(turn);
    if (isOdd) console.log(JSON.stringify({ ...turn, asked: model.asked.get(turn.message) }).slice(0, 3_000));
  }
} finally {
  await stack?.stop();
  model.close();
  rmSync(library, { recursive: true, force: true });
}
