/**
 * Compares calls over MCP with the same calls over plain HTTP, and `tools/list` with the serialization of the list. A bare server of the
 * SDK, with the same tools in memory, is measured beside it. Run `npm run build` first.
 *
 *   node bench/agents/mcp.mjs
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rateOf } from '../load.mjs';
import { cpuTimeOf, quantile, startModule, startRedis, table } from '../measure.mjs';

const { Redis } = createRequire(import.meta.url)('ioredis');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const ROUNDS = 7;
/**
 * Requests of a round. Their number is fixed, because a generator that stops after a time closes responses, which cancels calls. It ends at
 * a sample, which is taken every 10 ms.
 */
const CALLS = 1_500;
const TOOLS = 5_000;
/** Lists of a round, which then takes about as long as the time between two looks of the API at its files. */
const LISTS = 50;
const COUNTED = 20;
/** The API looks at its files every 5 s. */
const IDLE_MS = 10_000;
const NOTES = `A call of \`core:echo\` over MCP does what \`POST /v1/invocations\` with \`Prefer: wait\` does, and the SDK reads and writes its messages.
Ratios are the median of ${ROUNDS} rounds of both sides in turn; behind it stand the lowest and the highest one.
The bare server of the SDK holds its tools in memory: it has no queue, no worker and no store. It is measured once.
The time of a list leaves out what the idle API uses in the same time: it looks at the ${TOOLS} files of its tools every 5 s.`;

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of the newest revision, for `fetch` and for the load generator. */
function mcpRequest(url, method, params = {}) {
  return {
    url,
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(params.name && { 'mcp-name': params.name }),
    },
  };
}

function writeLibrary() {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  mkdirSync(join(folder, 'tools'));
  for (let n = 0; n < TOOLS; n++) writeFileSync(join(folder, 'tools', `${n}.tool.json`), JSON.stringify(toolFile(n)));
  return folder;
}

function toolFile(n) {
  return {
    toolId: `bench${Math.floor(n / 100)}:tool_${n}`,
    description: `Updates the ticket number ${n} and returns its new state`,
    version: '1.0.0',
    handler: { type: 'service-method', serviceName: 'system', methodName: 'getCurrentTime' },
    parameters: {
      properties: {
        ticket_id: { type: 'string', description: 'Which ticket to update' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      },
      required: ['ticket_id'],
    },
  };
}

/** The tools of all pages of a list, and the parameters of the request for each page. */
async function listAll(url) {
  const tools = [];
  const cursors = [{}];
  for (const params of cursors) {
    const { url: at, ...request } = mcpRequest(url, 'tools/list', params);
    const { result } = await (await fetch(at, request)).json();
    tools.push(...result.tools);
    if (result.nextCursor !== undefined) cursors.push({ cursor: result.nextCursor });
  }
  return { tools, cursors };
}

const rate = (value) => `${Math.round(value)}/s`;
const time = (value) => `${value.toFixed(1)} ms`;
const fineTime = (value) => `${value.toFixed(2)} ms`;

/** Runs both sides in turn, in changing order. Returns the medians and, for the ratio of each round, median, lowest and highest. */
async function inTurn(ours, theirs) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const found = {};
    const sides = [async () => (found.theirs = await theirs()), async () => (found.ours = await ours())];
    for (const side of round % 2 ? sides.toReversed() : sides) await side();
    rounds.push(found);
  }
  const ratios = rounds.map((round) => round.ours / round.theirs);
  const [median, low, high] = [0.5, 0, 1].map((q) => quantile(ratios, q).toFixed(2));
  return {
    ours: quantile(rounds.map((round) => round.ours)),
    theirs: quantile(rounds.map((round) => round.theirs)),
    ratio: `${median} (${low} to ${high})`,
  };
}

/** The commands that Redis runs for each of some requests, one after the other. Those of an idle stack are left out. */
async function commandsOf({ url, ...request }, redis) {
  const count = async () => Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))[1]);
  const during = async (act) => {
    const [before, at] = [await count(), performance.now()];
    await act();
    return { commands: (await count()) - before - 1, ms: performance.now() - at };
  };
  const idle = await during(() => delay(2_000));
  const busy = await during(async () => {
    for (let n = 0; n < COUNTED; n++) await (await fetch(url, request)).text();
  });
  return (busy.commands - (idle.commands / idle.ms) * busy.ms) / COUNTED;
}

async function measureCalls({ url, pid }, bareUrl, redis) {
  const invocation = {
    url: `${url}/v1/invocations`,
    method: 'POST',
    body: JSON.stringify({ toolId: 'core:echo', arguments: { value: 'x' } }),
    headers: { 'content-type': 'application/json', prefer: 'wait=60' },
  };
  const callAt = (at) => mcpRequest(at, 'tools/call', { name: 'core__echo', arguments: { value: 'x' } });
  const call = callAt(`${url}/mcp`);
  const rateOfMany = (request) => rateOf({ ...request, amount: CALLS, sampleInt: 10 });
  for (const request of [invocation, call]) await rateOfMany(request);
  const found = await inTurn(
    () => rateOfMany(call),
    () => rateOfMany(invocation),
  );
  const bare = await rateOfMany(callAt(bareUrl));
  const timeOf = async (request) => {
    const before = cpuTimeOf(pid);
    await rateOfMany(request);
    return (cpuTimeOf(pid) - before) / CALLS;
  };
  const times = await inTurn(
    () => timeOf(call),
    () => timeOf(invocation),
  );
  const [ours, theirs] = [await commandsOf(call, redis), await commandsOf(invocation, redis)];
  return [
    ['`tools/call` of `core:echo`, 64 in flight', rate(found.ours), rate(found.theirs), found.ratio, rate(bare)],
    ['processor time of the API for one call', fineTime(times.ours), fineTime(times.theirs), times.ratio, ''],
    ['Redis commands of one call', ours.toFixed(0), theirs.toFixed(0), (ours / theirs).toFixed(2), ''],
  ];
}

/**
 * The processor time that a server needs for all pages of a list, in ms.
 * @param idle the share of a processor that the server uses without requests
 */
async function listTime({ url, pid, cursors, idle }) {
  const [before, at] = [cpuTimeOf(pid), performance.now()];
  for (let n = 0; n < LISTS; n++)
    for (const params of cursors) {
      const { url: page, ...request } = mcpRequest(url, 'tools/list', params);
      await (await fetch(page, request)).arrayBuffer();
    }
  return (cpuTimeOf(pid) - before - idle * (performance.now() - at)) / LISTS;
}

async function idleShareOf(pid) {
  const [before, at] = [cpuTimeOf(pid), performance.now()];
  await delay(IDLE_MS);
  return (cpuTimeOf(pid) - before) / (performance.now() - at);
}

/** The same for `JSON.stringify` of the whole list in this process. */
function stringifyTime(tools) {
  const before = process.cpuUsage();
  for (let n = 0; n < LISTS; n++) JSON.stringify(tools);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / LISTS;
}

async function measureLists({ api, bare }) {
  const listOf = async ({ url, pid }) => {
    const { tools, cursors } = await listAll(url);
    if (tools.length < TOOLS) throw new Error(`the list has ${tools.length} tools`);
    const server = { url, pid, cursors, idle: 0 };
    await listTime(server);
    return { tools, server: { ...server, idle: await idleShareOf(pid) } };
  };
  const [ours, sdk] = [await listOf(api), await listOf(bare)];
  const found = await inTurn(
    () => listTime(ours.server),
    async () => stringifyTime(ours.tools),
  );
  const what = `processor time of \`tools/list\` of ${ours.tools.length} tools, all pages; beside it \`JSON.stringify\` of the list (lower is better)`;
  return [what, time(found.ours), time(found.theirs), found.ratio, time(await listTime(sdk.server))];
}

export async function run() {
  const folder = writeLibrary();
  const started = [await startRedis()];
  try {
    const env = {
      ERRAND_PORT: '0',
      ERRAND_LOG_LEVEL: 'error',
      ERRAND_LIBRARY: folder,
      ERRAND_REDIS_URL: started[0].url,
    };
    const start = async (module, vars) => {
      const process = await startModule(here(module), vars);
      started.push(process);
      return process;
    };
    const { ready: url, pid } = await start('../start-app.mjs', { ...env, APP: 'api' });
    await start('../start-app.mjs', { ...env, APP: 'worker' });
    const bare = await start('bare-mcp.mjs', { TOOLS: String(TOOLS) });
    const redis = new Redis(started[0].url);
    const calls = await measureCalls({ url, pid }, bare.ready, redis).finally(() => redis.disconnect());
    const servers = { api: { url: `${url}/mcp`, pid }, bare: { url: bare.ready, pid: bare.pid } };
    const rows = [...calls, await measureLists(servers)];
    return [NOTES, table(['measured', 'Errand', 'without MCP', 'ratio', 'bare SDK server'], rows)].join('\n\n');
  } finally {
    for (const one of started.toReversed()) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await run());
