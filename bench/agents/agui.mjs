/**
 * Streams the text of a model to a client of AG-UI, and compares that with the same stream through a bare Fastify proxy. Run `npm run build`
 * first.
 *
 *   node bench/agents/agui.mjs
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile, startModule, startRedis, table } from '../measure.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const TURNS = 60;
const LONG_TURNS = 5;
const PIECES = 20_000;
const PIECE = 'twelve chars';
const NOTES = `The model is a server in the process of the benchmark. Latency: from the write of its first piece to the first text event at the client, one turn at a time.
Rate: pieces of a text of ${PIECES} pieces, from the first to the last one at the client. The proxy passes the bytes of the model on: it stores nothing, and a client that disconnects has lost its text.`;

/** The time at which the model wrote its first piece. */
let firstWrite = 0;
let pieces = 1;

const model = createServer((request, response) => void stream(request, response)).listen(0, '127.0.0.1');

async function stream(request, response) {
  request.resume();
  await once(request, 'end');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  // The readers are waiting for the first piece by then.
  await new Promise((resolve) => setTimeout(resolve, 30));
  const frame = (delta, more = {}) =>
    `data: ${JSON.stringify({ model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
  firstWrite = performance.now();
  for (let n = 0; n < pieces; n++) if (!response.write(frame({ content: PIECE }))) await once(response, 'drain');
  response.end(`${frame({})}data: [DONE]\n\n`);
}

await once(model, 'listening');
const modelUrl = `http://127.0.0.1:${model.address().port}/v1`;

const library = mkdtempSync(join(tmpdir(), 'errand-bench-'));
mkdirSync(join(library, 'agents'));
const profile = { id: 'talker', core_deliberation_workflow_id: 'core:deliberate', tool_ids_inventory: [] };
writeFileSync(join(library, 'agents/talker.json'), JSON.stringify(profile));

const redis = await startRedis();
const env = {
  ERRAND_REDIS_URL: redis.url,
  ERRAND_LIBRARY: library,
  ERRAND_PORT: '0',
  ERRAND_LOG_LEVEL: 'error',
  ERRAND_LLM_BASE_URL: modelUrl,
  ERRAND_LLM_MODEL: 'm',
};
const api = await startModule(here('../start-app.mjs'), { ...env, APP: 'api' });
const worker = await startModule(here('../start-app.mjs'), { ...env, APP: 'worker' });
const proxy = await startModule(here('bare-proxy.mjs'), { MODEL_URL: modelUrl });

let runs = 0;
const throughErrand = () =>
  read(`${api.ready}/agui/talker`, 'TEXT_MESSAGE_CONTENT', {
    threadId: `t${++runs}`,
    runId: 'r',
    messages: [{ id: 'm', role: 'user', content: 'Talk' }],
  });
const throughProxy = () => read(`${proxy.ready}/chat/completions`, PIECE, { stream: true, messages: [] });

/** Reads a stream. @returns the times of the first and the last text */
async function read(url, mark, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  let first;
  let last;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (!chunk.includes(mark) && !text.slice(-2 * chunk.length).includes(mark)) continue;
    last = performance.now();
    first ??= last;
  }
  if (!text.includes(PIECE)) throw new Error(`no text came: ${text.slice(0, 500)}`);
  return { latency: first - firstWrite, seconds: (last - firstWrite) / 1_000 };
}

async function measure(count, length) {
  const ours = [];
  const theirs = [];
  pieces = length;
  for (let n = 0; n < count; n++) {
    theirs.push(await throughProxy());
    ours.push(await throughErrand());
  }
  return { ours, theirs };
}

try {
  await measure(10, 1);
  const short = await measure(TURNS, 1);
  const long = await measure(LONG_TURNS, PIECES);
  const latency = (list) => quantile(list.map((one) => one.latency));
  const rate = (list) => PIECES / quantile(list.map(({ seconds }) => seconds));
  const [a, b] = [latency(short.ours), latency(short.theirs)];
  const [c, d] = [rate(long.ours), rate(long.theirs)];
  console.log(`${NOTES}\n`);
  console.log(
    table(
      ['', 'Errand', 'proxy', 'ratio'],
      [
        ['first text, p50', `${a.toFixed(2)} ms`, `${b.toFixed(2)} ms`, `${(a / b).toFixed(2)} (at most 3)`],
        ['pieces', `${Math.round(c)}/s`, `${Math.round(d)}/s`, `${(c / d).toFixed(2)} (at least 0.5)`],
      ],
    ),
  );
} finally {
  for (const part of [proxy, worker, api, redis]) await part.stop();
  model.close();
  model.closeAllConnections();
  rmSync(library, { recursive: true, force: true });
}
