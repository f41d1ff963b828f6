// Compares a registry of 5,000 tools with one of 50: start, look-up, search, and one edit. Prints a Markdown table.
//   npm run build && node bench/registry.mjs
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile, table } from './measure.mjs';

const dist = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
if (!existsSync(dist('libs/registry/src/index.js'))) {
  console.error('The build is missing: run `npm run build` first.');
  process.exit(1);
}
const require = createRequire(import.meta.url);
const { watchRegistry } = require(dist('libs/registry/src/index.js'));
const { checkWorkflow } = require(dist('libs/engine/src/index.js'));

const SIZES = { many: 5000, few: 50 };
const ROUNDS = 5;
const VERBS = ['find', 'create', 'update', 'delete', 'export', 'archive', 'compare', 'count', 'copy', 'send'];
const NOUNS = ['invoice', 'customer', 'ticket', 'report', 'message', 'parcel', 'player', 'page', 'picture', 'branch'];

function toolFile(index, description = '') {
  const [verb, noun] = [VERBS[index % 10], NOUNS[Math.floor(index / 10) % 10]];
  return JSON.stringify({
    toolId: `${noun}${Math.floor(index / 100)}:${verb}_${noun}`,
    description: `${description}Uses ${verb} on the ${noun} number ${index}`,
    version: '1.0.0',
    handler: { type: 'service-method', serviceName: 'system', methodName: 'getCurrentTime' },
    parameters: {
      properties: {
        [`${noun}_id`]: { type: 'string', description: `Which ${noun} to ${verb}` },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      },
      required: [`${noun}_id`],
    },
    tags: [noun],
  });
}

const fileOf = (folder, index) => join(folder, 'tools', `${index}.tool.json`);

function writeLibrary(size) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  mkdirSync(join(folder, 'tools'));
  for (let index = 0; index < size; index++) writeFileSync(fileOf(folder, index), toolFile(index));
  return folder;
}

async function timed(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const open = (folder) => watchRegistry({ folders: [folder], coreDir: dist('plugins/core'), checkWorkflow });

/** The times of a start, a look-up, a search, and an edit of one file until it is live, in ms. */
async function measure(folder, round) {
  let watched;
  const start = await timed(async () => (watched = await open(folder)));
  const { registry } = watched;
  try {
    if (registry.problems().length > 0) throw new Error(registry.problems()[0].message);
    registry.search('warm up');
    const lookUp = await timed(() => {
      for (let count = 0; count < 100_000; count++) registry.find('ticket0:send_ticket@^1');
    });
    const search = await timed(() => registry.search('archive a player'));
    const mark = `Edit ${round}. `;
    const edit = await timed(async () => {
      writeFileSync(fileOf(folder, 7), toolFile(7, mark));
      await watched.refresh();
      const { toolId } = JSON.parse(toolFile(7));
      if (!registry.find(toolId).description.startsWith(mark)) throw new Error('The edit is not live');
    });
    return { start, lookUp: lookUp / 100_000, search, edit };
  } finally {
    await watched.close();
  }
}

const folders = { many: writeLibrary(SIZES.many), few: writeLibrary(SIZES.few) };
try {
  await measure(folders.few, 'warm');
  const times = { many: [], few: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const which of ['few', 'many']) times[which].push(await measure(folders[which], round));
  }
  const median = (which, what) => quantile(times[which].map((time) => time[what]));
  const shown = (millis) => (millis < 0.1 ? `${(millis * 1000).toFixed(2)} µs` : `${millis.toFixed(1)} ms`);
  const row = (title, what) => {
    const [many, few] = [median('many', what), median('few', what)];
    return [title, shown(many), shown(few), (many / few).toFixed(2)];
  };
  console.log(
    table(
      ['measured (lower is better)', '5,000 tools', '50 tools', 'ratio'],
      [
        row('start, all files read and checked', 'start'),
        row('look-up of a tool by id and range', 'lookUp'),
        row('search for three words', 'search'),
        row('one edited file, until it is live', 'edit'),
      ],
    ),
  );
} finally {
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
}
