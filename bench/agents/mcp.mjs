/**
 * Compares calls over MCP with the same calls over plain HTTP, and `tools/list` with the serialization of the list. A bare server of the
 * SDK, with the same tools in memory, is measured beside it. Run `npm run build` first.
 *
 *   node bench/agents/mcp.mjs
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rateOf } from '../load.mjs';
import { quantile, sideBySide, startModule, startRedis, table } from '../measure.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const ROUNDS = 3;
const TOOLS = 5_000;
const LISTS = 5;
const NOTES = `A call of \`core:echo\` over MCP does what \`POST /v1/invocations\` with \`Prefer: wait\` does, and the SDK reads and writes its messages.
The bare server of the SDK holds its tools in memory: it has no queue, no worker and no store.`;

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

/** All pages of a list, in order. */
async function listAll(url) {
  const tools = [];
  let cursor;
  do {
    const { url: at, ...request } = mcpRequest(url, 'tools/list', cursor === undefined ? {} : { cursor });
    const { result } = await (await fetch(at, request)).json();
    tools.push(...result.tools);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

async function timeOf(once) {
  const times = [];
  for (let n = 0; n < LISTS; n++) {
    const start = performance.now();
    await once();
    times.push(performance.now() - start);
  }
  return quantile(times);
}

const rate = (value) => `${Math.round(value)}/s`;
const time = (value) => `${value.toFixed(1)} ms`;

async function measureCalls(url, bareUrl) {
  const invocation = {
    url: `${url}/v1/invocations`,
    method: 'POST',
    body: JSON.stringify({ toolId: 'core:echo', arguments: { value: 'x' } }),
    headers: { 'content-type': 'application/json', prefer: 'wait=60' },
  };
  const call = (at) => mcpRequest(at, 'tools/call', { name: 'core__echo', arguments: { value: 'x' } });
  await rateOf(call(`${url}/mcp`));
  const found = await sideBySide(
    ROUNDS,
    () => rateOf(call(`${url}/mcp`)),
    () => rateOf(invocation),
  );
  const bare = await rateOf(call(bareUrl));
  return [
    '`tools/call` of `core:echo`, 64 in flight',
    rate(found.ours),
    rate(found.theirs),
    found.ratio.toFixed(2),
    rate(bare),
  ];
}

async function measureLists(url, bareUrl) {
  const tools = await listAll(`${url}/mcp`);
  if (tools.length < TOOLS) throw new Error(`the list has ${tools.length} tools`);
  const found = await sideBySide(
    ROUNDS,
    () => timeOf(() => listAll(`${url}/mcp`)),
    () => timeOf(async () => JSON.stringify(tools)),
  );
  const bare = await timeOf(() => listAll(bareUrl));
  const what = `\`tools/list\` of ${tools.length} tools, all pages; beside it \`JSON.stringify\` of the list (lower is better)`;
  return [what, time(found.ours), time(found.theirs), found.ratio.toFixed(2), time(bare)];
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
      return process.ready;
    };
    const url = await start('../start-app.mjs', { ...env, APP: 'api' });
    await start('../start-app.mjs', { ...env, APP: 'worker' });
    const bareUrl = await start('bare-mcp.mjs', { TOOLS: String(TOOLS) });
    const rows = [await measureCalls(url, bareUrl), await measureLists(url, bareUrl)];
    return [NOTES, table(['measured', 'Errand', 'without MCP', 'ratio', 'bare SDK server'], rows)].join('\n\n');
  } finally {
    for (const one of started.toReversed()) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await run());
