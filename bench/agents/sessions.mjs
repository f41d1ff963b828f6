// The cost of a turn's storage in a session of 10,000 messages against one of 10: begin the turn, read the history, end it.
// Needs a build: npm run build. Usage: node bench/agents/sessions.mjs
import { createRequire } from 'node:module';
import { quantile, startRedis } from '../measure.mjs';

const require = createRequire(import.meta.url);
const {
  connectQueues,
  openSession,
  readConversation,
  submitInvocation,
  TurnWriter,
} = require('../../dist/libs/queue/src/index.js');
const { newInvocationId } = require('../../dist/libs/contracts/src/index.js');

const TURNS = 400;
const LENGTHS = [10, 10_000];
const CONTENT = 'A message of a common length, as people write it to an agent. '.repeat(5);

const redis = await startRedis();
const queues = connectQueues(redis.url, { ageSeconds: 3_600, count: 1_000_000 });
const message = (id) => ({
  id,
  role: 'user',
  content: CONTENT,
  invocationId: id,
  round: null,
  at: new Date().toISOString(),
});

async function beginTurn(session) {
  const id = newInvocationId();
  const call = { toolId: 'agent:ada', version: '1.0.0', digest: 'd', kind: 'agent', arguments: { message: 'Hello' } };
  await submitInvocation(queues, 'invocations', id, { tenant: 'default', mode: 'sequence', session, calls: [call] });
  const attempt = await queues.redis.hincrby(`{errand}:invocations:${id}`, 'ats', 1);
  return { id, attempt, conversation: { tenant: 'default', session, agent: 'ada' } };
}

async function fill(session, count) {
  const turn = await beginTurn(session);
  const writer = new TurnWriter(queues, turn);
  for (let n = 0; n < count; n += 10)
    await writer.commit({ messages: Array.from({ length: 10 }, (_, k) => message(`${turn.id}.m${n + k}`)) });
}

/** The time to the model's first request, in ms, without the model and the queue. */
async function timeOfTurn(session) {
  const turn = await beginTurn(session);
  const start = performance.now();
  await openSession(queues, turn, { messages: [message(`${turn.id}.m0`)] });
  await readConversation(queues, turn.conversation, { maxChars: 3_000 });
  return performance.now() - start;
}

const times = new Map(LENGTHS.map((length) => [length, []]));
for (const length of LENGTHS) await fill(`of ${length}`, length);
// Alternating turns see the same load of the machine.
for (let n = 0; n < TURNS; n++) for (const length of LENGTHS) times.get(length).push(await timeOfTurn(`of ${length}`));
const [short, long] = LENGTHS.map((length) => quantile(times.get(length)));
console.log(
  `begin of a turn, p50: ${short.toFixed(2)} ms with 10 messages, ${long.toFixed(2)} ms with 10,000: ratio ${(long / short).toFixed(2)}`,
);
await queues.close();
await redis.kill();
process.exit(0);
