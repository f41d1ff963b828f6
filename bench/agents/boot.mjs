/**
 * Compares starts: the API with and without the code of MCP, AG-UI and A2A, and a gateway of 50 MCP servers with an empty one. Processor
 * time is measured until `/readyz` answers 200, or until the worker takes jobs. Run `npm run build` first.
 *
 *   node bench/agents/boot.mjs
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile, startModule, startRedis, table } from '../measure.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const FLAGS = ['--max-semi-space-size=32', '--expose-gc'];
const ROUNDS = 5;
const SERVERS = 50;
const TOOLS_EACH = 40;
const NOTES = `The baseline of the first rows is the API itself without its folders \`mcp\`, \`agui\` and \`a2a\`.
The gateway has ${SERVERS} servers with ${SERVERS * TOOLS_EACH} tools, whose lists Redis has from an earlier start. Its tools come after the start.`;

/** Starts a process as far as it takes work. */
async function boot(vars) {
  const child = fork(here('boot-app.mjs'), {
    execArgv: FLAGS,
    env: { ...process.env, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'error', ...vars },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ ready: url }] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${vars.APP} exited with ${code}`))),
  ]);
  if (vars.APP === 'api') await until(async () => (await fetch(`${url}/readyz`)).ok);
  return {
    url,
    report: async () => {
      child.send({});
      return (await once(child, 'message'))[0];
    },
    stop: async () => void (child.exitCode ?? (child.kill('SIGKILL'), await once(child, 'exit'))),
  };
}

async function until(isTrue) {
  while (!(await isTrue())) await delay(20);
}

/** The report of a process that has just started, which is then ended. */
async function reportOf(vars) {
  const started = await boot(vars);
  const report = await started.report();
  await started.stop();
  return report;
}

/** The medians of two kinds of starts, in turn, of each number in their reports. */
async function compareStarts(ours, theirs) {
  const reports = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    reports.theirs.push(await reportOf(theirs));
    reports.ours.push(await reportOf(ours));
  }
  const median = (side, name) => quantile(reports[side].map((report) => report[name]));
  return (name, digits, unit) => {
    const [a, b] = [median('ours', name), median('theirs', name)];
    return [`${a.toFixed(digits)} ${unit}`, `${b.toFixed(digits)} ${unit}`, (a / b).toFixed(2)];
  };
}

async function compareSurfaces(env) {
  const figures = await compareStarts({ ...env, APP: 'api' }, { ...env, APP: 'api', SURFACES: 'none' });
  const api = await boot({ ...env, APP: 'api' });
  const before = (await api.report()).packages.length;
  await fetch(`${api.url}/mcp`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
  const after = (await api.report()).packages.length;
  await api.stop();
  return [
    ['start of the API, processor time', ...figures('cpuMs', 0, 'ms')],
    ['heap of the API after its start', ...figures('heapMb', 1, 'MB')],
    [`modules of the three SDKs in the API (after a request to \`/mcp\`: ${after})`, String(before), '0', ''],
  ];
}

/** A library with one `mcp.json`. */
function writeLibrary(address) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  mkdirSync(join(folder, 'tools'));
  const servers = Array.from({ length: SERVERS }, (_, n) => [`tracker${n}`, { url: `${address}/${n}` }]);
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: address ? Object.fromEntries(servers) : {} }));
  return folder;
}

/** Starts the gateway once, so that Redis has the lists of all servers. */
async function listServers(env) {
  const started = [await boot({ ...env, APP: 'api' }), await boot({ ...env, APP: 'worker' })];
  for (let n = 0; n < SERVERS; n++) {
    const last = `${started[0].url}/v1/tools/tracker${n}:tool_${TOOLS_EACH - 1}`;
    await until(async () => (await fetch(last)).ok);
  }
  for (const one of started) await one.stop();
}

async function compareGateway(env, folders) {
  const [gateway, empty] = folders.map((folder) => ({ ...env, ERRAND_LIBRARY: folder }));
  await listServers(gateway);
  const rows = [];
  for (const APP of ['api', 'worker']) {
    const figures = await compareStarts({ ...gateway, APP }, { ...empty, APP });
    rows.push([
      `start of the ${APP} of a gateway, processor time; beside it an empty one`,
      ...figures('cpuMs', 0, 'ms'),
    ]);
  }
  return rows;
}

export async function run() {
  const redis = await startRedis();
  const servers = await startModule(here('gateway-servers.mjs'), { SERVERS, TOOLS: TOOLS_EACH });
  const folders = [writeLibrary(servers.ready), writeLibrary()];
  try {
    const env = { ERRAND_REDIS_URL: redis.url, ERRAND_LIBRARY: folders[1], ERRAND_MCP_ALLOW: '127.0.0.1' };
    const rows = [...(await compareSurfaces(env)), ...(await compareGateway(env, folders))];
    return [NOTES, table(['measured', 'Errand', 'baseline', 'ratio'], rows)].join('\n\n');
  } finally {
    await servers.stop();
    await redis.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await run());
