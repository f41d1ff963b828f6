/**
 * Cancels invocations of every kind at random moments: while they wait, run, sleep until another attempt, or are suspended. Counts
 * cancelled invocations and those that ended before. Also counts two faults: a container that outlives its invocation, and a status
 * that contradicts the response to the cancel request. Exit code 1 if there is a fault.
 *
 *   npm run build && node bench/drills/cancel.mjs [invocations] [seed]
 */
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ask, FINAL, untilEnded } from './client.mjs';
import { report } from './figures.mjs';
import { KINDS, writeLibrary } from './kinds.mjs';
import { pick, randomFrom } from './random.mjs';
import { Stack } from './stack.mjs';

const [COUNT = 300, SEED = 1] = process.argv.slice(2).map(Number);
const LONGEST_MS = 1_500;
/** Much longer than a busy machine needs to end an invocation. */
const LONGEST_WAIT_MS = 300_000;
const AT_ONCE = 30;
const DOCKER = existsSync('/var/run/docker.sock') && process.env.ERRAND_NO_DOCKER !== 'true';
const run = promisify(execFile);

const random = randomFrom(SEED);
if (!DOCKER) console.log('Docker is not available: scripts are left out.');
const someMs = () => Math.ceil(random() * LONGEST_MS);
const call = (toolId, args) => ({ toolId, arguments: args });
const WITH_CONTAINER = new Set(['script', 'labelled']);

/** Each invocation may end by itself, before or after its cancel request. */
const REQUESTS = {
  node: () => call('core:delay', { ms: someMs(), value: 1 }),
  workflow: () => KINDS.workflow.request(1),
  chain: () => KINDS.chain.request(1),
  delayed: () => ({ ...KINDS.node.request(1), options: { delayMs: someMs() } }),
  parked: () => call('core:wait', { ms: someMs(), value: 1 }),
  asked: () => KINDS.external.request(1),
  ...(DOCKER && {
    script: () => call('kinds:script', { n: 1, seconds: random() * 2 }),
    labelled: () => call('kinds:labelled', { n: 1, seconds: random() * 2 }),
  }),
};

/** Submits an invocation, cancels it after some time, and waits for its end. */
async function cancelOne(url) {
  const kind = pick(random, Object.keys(REQUESTS));
  const moment = random() * LONGEST_MS;
  const body = REQUESTS[kind]();
  const { status, body: accepted } = await ask(`${url}/v1/invocations`, { method: 'POST', body });
  if (status !== 202) throw new Error(`${kind} was refused: ${JSON.stringify(accepted)}`);
  const { id } = accepted;
  await setTimeout(moment);
  const answers = [];
  for (let n = 0; n < 2; n++)
    answers.push(await ask(`${url}/v1/invocations/${id}/cancel`, { method: 'POST', body: {} }));
  const ended = await untilEnded(url, id, Date.now() + LONGEST_WAIT_MS);
  const containers = WITH_CONTAINER.has(kind) ? await containersOf(id) : 0;
  return { id, kind, answers: answers.map((answer) => answer.status), ended, containers };
}

/** Containers of cancelled scripts. The container of a script that ended by itself is removed after its result. */
async function containersOf(id) {
  const { stdout } = await run('docker', ['ps', '-q', '--filter', `label=errand.invocation=${id}`]);
  return stdout.split('\n').filter(Boolean).length;
}

/** The first response decides whether the status must be cancelled. The second one is the same, or 409 after the end. */
function isStateWrong({ answers: [first, second], ended, last }) {
  const isCancelled = ended?.status === 'cancelled';
  const isAnswered = (first === 202 || first === 409) && (second === 202 || second === 409);
  return !isAnswered || (first === 202) !== isCancelled || last.status !== ended.status || !FINAL.includes(last.status);
}

const library = writeLibrary();
let stack;
try {
  stack = await Stack.start(['api', 'worker', ...(DOCKER ? ['script-runner'] : [])], { ERRAND_LIBRARY: library });
  const done = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, lane) => {
      for (let n = lane; n < COUNT; n += AT_ONCE) done.push(await cancelOne(stack.url));
    }),
  );
  for (const one of done) one.last = (await ask(`${stack.url}/v1/invocations/${one.id}`)).body;
  const cancelled = done.filter(({ ended }) => ended?.status === 'cancelled');
  const wrong = done.filter(isStateWrong);
  process.exitCode = report([
    { what: 'accepted', count: done.length, exactly: COUNT },
    { what: 'cancelled', count: cancelled.length, atLeast: 1 },
    ...Object.keys(REQUESTS).map((kind) => ({
      what: `… ${kind}`,
      count: cancelled.filter((one) => one.kind === kind).length,
      atLeast: COUNT < 100 ? 0 : 1,
    })),
    { what: 'ended before', count: done.filter(({ answers }) => answers[0] === 409).length },
    { what: 'never ended', count: done.filter(({ ended }) => !ended).length, exactly: 0 },
    { what: 'containers left', count: cancelled.reduce((sum, one) => sum + one.containers, 0), exactly: 0 },
    { what: 'state wrong', count: wrong.length, exactly: 0 },
  ]);
  for (const one of wrong)
    console.log(`wrong: ${one.id} (${one.kind}): ${one.answers.join(', ')}, ${one.ended?.status}`);
} finally {
  await stack?.stop();
  rmSync(library, { recursive: true, force: true });
}
