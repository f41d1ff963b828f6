// Measures the time of GET /healthz while a caller sends schemas and values that are expensive on purpose.
//   npm run build && node bench/schema-attacks.mjs
import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
createRequire(import.meta.url)('../test/support/load-typescript.cjs');
const { SCHEMA_ATTACKS, writeAttack } = require('../libs/registry/test/schema-attacks.ts');
const { startRedis } = require('../test/support/start-redis.ts');
const { writeFiles } = require('../test/support/write-files.ts');

const POLL_EVERY_MS = 5;
const ROUNDS = 10;

const attacks = SCHEMA_ATTACKS.map((attack, index) => ({ ...attack, toolId: `attack:t${index}` }));
const folder = mkdtempSync(join(tmpdir(), 'errand-schema-attacks-'));
const redis = await startRedis();
const api = await startApi();

const post = (path, body) =>
  fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then((response) => response.arrayBuffer());

/** The times of polls of /healthz, in ms and in ascending order, while `work` runs. */
async function pollDuring(work) {
  const times = [];
  const state = { isOver: false };
  const end = work().finally(() => (state.isOver = true));
  while (!state.isOver) {
    const start = performance.now();
    await (await fetch(`${api.url}/healthz`)).arrayBuffer();
    times.push(performance.now() - start);
    await sleep(POLL_EVERY_MS);
  }
  await end;
  return times.toSorted((a, b) => a - b);
}

async function eachAttack(send) {
  for (let round = 0; round < ROUNDS; round++) for (const attack of attacks) await send(attack);
}

const WORK = {
  nothing: () => sleep(3_000),
  'schemas of a caller (`POST /v1/parse`)': () =>
    eachAttack(({ toolId, schema, value }) =>
      post('/v1/parse', { text: writeAttack(toolId, value), tools: [{ toolId, parameters: schema }] }),
    ),
  'values for tools of the library (`POST /v1/invocations`)': () =>
    eachAttack(({ toolId, value }) => post('/v1/invocations', { toolId, arguments: { v: value } })),
};

console.log('| while the API works on | polls | p50 of `/healthz` | p99 | longest |');
console.log('| --- | --- | --- | --- | --- |');
for (const [name, work] of Object.entries(WORK)) {
  const times = await pollDuring(work);
  const at = (share) => `${times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1)} ms`;
  console.log(`| ${name} | ${times.length} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
}

api.child.kill('SIGTERM');
await redis.stop();
rmSync(folder, { recursive: true, force: true });

/** An API whose library holds the tools of all attacks. */
async function startApi() {
  const files = attacks.map(({ toolId, schema }, index) => [
    `tools/t${index}.tool.json`,
    {
      toolId,
      version: '1.0.0',
      description: 'A tool whose schema is expensive',
      handler: { type: 'service-method', serviceName: 'system', methodName: 'getCurrentTime' },
      parameters: schema,
    },
  ]);
  writeFiles(join(folder, 'library'), Object.fromEntries(files));
  const env = {
    PATH: process.env.PATH,
    APP: 'api',
    ERRAND_PORT: '0',
    ERRAND_REDIS_URL: redis.url,
    ERRAND_LIBRARY: join(folder, 'library'),
    ERRAND_DATA_DIR: join(folder, 'data'),
    ERRAND_LOG_LEVEL: 'fatal',
  };
  const child = fork(fileURLToPath(new URL('start-app.mjs', import.meta.url)), { env });
  const url = await new Promise((resolve) => child.once('message', ({ ready }) => resolve(ready)));
  return { child, url };
}
