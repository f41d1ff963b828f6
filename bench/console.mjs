/**
 * Measures the console in a headless Chromium, as counts and ratios with their bounds. Run `npm run build` first.
 *
 *   node bench/console.mjs [--stored <n>] [--pages <n>]
 *
 * --stored: the number of stored invocations; 1,000,000 by default. --pages: how many pages of the list are scrolled; 300 by default.
 *
 * Exit code 1: a bound is exceeded.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sizesOfBuild } from './console/built-files.mjs';
import { openBrowser } from './console/console-browser.mjs';
import { measureChanges, measureFirstRows, measureScrolling } from './console/measure-list.mjs';
import { measureLog } from './console/measure-log.mjs';
import { fillHistory } from './fill-history.mjs';
import { quantile, startModule, startRedis, table } from './measure.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILT = join(ROOT, 'dist/apps/console');
const APP = fileURLToPath(new URL('start-app.mjs', import.meta.url));
const FEW = 10;
const LINES = 100_000;
const CHANGES = 1_000;
const READS = 41;
const CALL = { toolId: 'core:echo', arguments: { value: 'x' } };
const LOG_NODE = `module.exports = { nodes: [{ type: 'console:lines', description: 'Writes lines.', inputs: {}, outputs: { value: { dataFlowType: 'NUMBER' } },
  run: (inputs, { log }) => { for (let n = 1; n <= ${LINES}; n++) log('line ' + n + ' of the log'); return { value: 1 }; } }] };`;
const PLUGIN = {
  name: 'console',
  displayName: 'Console',
  version: '1.0.0',
  description: 'A long log.',
  nodes: { entry: 'nodes/index.js' },
  tools: [
    {
      id: 'console:lines',
      displayName: 'Lines',
      description: 'Writes lines.',
      parameters: { type: 'object', properties: {} },
      implementation: { type: 'node', nodeType: 'console:lines' },
    },
  ],
};

const started = [];
const keep = (one) => (started.push(one), one);
const { values } = parseArgs({
  options: { stored: { type: 'string', default: '1000000' }, pages: { type: 'string', default: '300' } },
});

/** An API and a worker on a Redis of their own. */
async function startStack(library) {
  const redis = keep(await startRedis());
  const env = {
    ERRAND_PORT: '0',
    ERRAND_LOG_LEVEL: 'error',
    ERRAND_REDIS_URL: redis.url,
    ERRAND_RETENTION_COUNT: '10000000',
    ERRAND_LIBRARY: library,
  };
  const api = keep(await startModule(APP, { ...env, APP: 'api' }));
  keep(await startModule(APP, { ...env, APP: 'worker' }));
  return { url: api.ready, redis };
}

async function post(url, path, body, headers = {}) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
const invoke = (url, body) => post(url, '/v1/invocations', body, { prefer: 'wait=60' });

/** The median time of the first page of the list, in ms. */
async function firstPageMs(url) {
  const times = [];
  for (let n = 0; n < READS; n++) {
    const begun = performance.now();
    await (await fetch(`${url}/v1/invocations?view=row&limit=${FEW}`)).arrayBuffer();
    times.push(performance.now() - begun);
  }
  return quantile(times);
}

async function fill(stack, stored) {
  const { id } = await invoke(stack.url, CALL);
  await fillHistory(stack.redis.url, id, stored);
}

function buildSeconds() {
  const outDir = mkdtempSync(join(tmpdir(), 'errand-console-'));
  const args = [
    'node_modules/vite/bin/vite.js',
    'build',
    '--config',
    'apps/console/vite.config.ts',
    '--outDir',
    outDir,
  ];
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  rmSync(outDir, { recursive: true, force: true });
  if (status !== 0) throw new Error(stderr);
  return (performance.now() - begun) / 1_000;
}

/** @returns rows of the table: what was measured, the value, its bound, and whether it holds */
async function measureAll(folder) {
  const rows = [];
  const note = (what, value, bound, digits = 0) => {
    rows.push({ what, value: value.toFixed(digits), bound, holds: value <= bound });
    console.error(`${new Date().toISOString()} ${what}: ${value.toFixed(digits)}`);
  };
  const { first, later } = sizesOfBuild(BUILT);
  note('first load, KB of gzip', first, 120);
  for (const { name, kb } of later.slice(0, 5)) note(`chunk ${name}, KB of gzip`, kb, 130, 1);
  note('build, s', buildSeconds(), 20, 1);

  const stack = await startStack(folder);
  for (let n = 0; n < FEW; n++) await invoke(stack.url, CALL);
  const fewMs = await firstPageMs(stack.url);
  await changeRows(stack.url);
  const browser = keep(await openBrowser().then((open) => ({ open, stop: () => open.close() }))).open;
  const shown = await measureFirstRows(browser, stack.url);
  note('requests until the list shows', shown.requests, 12);
  const changes = await measureChanges(browser, stack.url, () => changeRows(stack.url));
  note(`requests during ${CHANGES.toLocaleString('en')} changes`, changes.requests, 0);
  const { id } = await invoke(stack.url, { toolId: 'console:lines', arguments: {} });
  const log = await measureLog(browser, stack.url, id, 'line 99999');
  note(`elements at ${LINES.toLocaleString('en')} lines of a log`, log.elements, 2_500);
  note('lines of the log in the document', log.lines, 200);
  note('search in the log, s', log.searchMs / 1_000, 1, 2);
  const stored = Number(values.stored);
  await fill(stack, stored);
  const manyMs = await firstPageMs(stack.url);
  note(`first page, ${stored.toLocaleString('en')} stored over ${FEW}`, manyMs / fewMs, 1.2, 2);
  const scrolled = await measureScrolling(browser, stack.url, Number(values.pages));
  note(`elements after ${scrolled.pages} pages`, scrolled.elements, 2_500);
  note(`heap after ${scrolled.pages} pages over one`, scrolled.heap, 4, 2);
  note('pages that were read twice', scrolled.twice, 0);
  return rows;
}

async function changeRows(url) {
  for (let sent = 0; sent < CHANGES; sent += 100)
    await post(url, '/v1/invocations/batch', { items: Array.from({ length: 100 }, () => CALL) }, { prefer: 'wait=60' });
}

function writeLibrary(folder) {
  const files = {
    'plugins/console/plugin.yaml': JSON.stringify(PLUGIN),
    'plugins/console/nodes/index.js': LOG_NODE,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'errand-console-'));
try {
  writeLibrary(folder);
  const rows = await measureAll(folder);
  console.log(
    table(
      ['console', 'measured', 'bound', 'holds'],
      rows.map(({ what, value, bound, holds }) => [what, value, bound, holds ? 'yes' : '**no**']),
    ),
  );
  process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;
} finally {
  for (const one of started.toReversed()) await one.stop();
  rmSync(folder, { recursive: true, force: true });
}
