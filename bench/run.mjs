// Runs benchmarks one after the other; `--write` writes their output and the goals table to docs/performance.md. Without names, all of them run.
//   npm run build && npm run bench [-- [--write] [api|cost|consumer|fair|fair-alone|cancel|lua|sandbox|sandbox-trace|protocol|registry|engine|starts|feed|refusals|console|agents/mcp]...]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goalTable, readNotes } from './goals/goal-table.mjs';
import { ELSEWHERE, GOALS } from './goals/goals.mjs';

const BENCHMARKS = [
  { file: 'api.mjs', title: 'Accepting and running invocations' },
  { file: 'cost.mjs', title: 'The cost of an invocation', whenWriting: ['--record'] },
  { file: 'consumer.mjs', title: 'Taking and ending jobs' },
  { file: 'fair.mjs', title: 'A light tenant beside floods' },
  { file: 'fair-alone.mjs', title: 'A tenant that is alone' },
  { file: 'cancel.mjs', title: 'Cancelling waiting invocations' },
  { file: 'lua.mjs', title: 'What scripts of Redis cost besides their commands' },
  { file: 'sandbox.mjs', title: 'Running scripts' },
  { file: 'sandbox-trace.mjs', title: 'Where the time of a script goes' },
  { file: 'protocol.mjs', title: 'Parsing text' },
  { file: 'registry.mjs', title: 'Finding tools' },
  { file: 'engine.mjs', title: 'Running workflows' },
  { file: 'shards.mjs', title: 'Dividing the work among shards' },
  { file: 'simulate.mjs', title: 'A simulation of many shards' },
  { file: 'starts.mjs', title: 'Starting processes' },
  { file: 'feed.mjs', title: 'Listening to changes' },
  { file: 'refusals.mjs', title: 'Keeping refused submissions' },
  { file: 'console.mjs', title: 'The console' },
  { file: 'agents/turns.mjs', title: 'Running turns of agents' },
  { file: 'agents/sessions.mjs', title: 'Long conversations' },
  { file: 'agents/agui.mjs', title: 'Serving AG-UI clients' },
  { file: 'agents/mcp.mjs', title: 'Serving MCP clients' },
  { file: 'agents/boot.mjs', title: 'Starting with agents' },
];

/** Lines of bench/cost.mjs about a ratio that got worse, or a count that grew. */
const SLOWER = /: the ratio is \d+ % worse than recorded|per invocation grew by/;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const MACHINE = `${cpus().length} cores (${cpus()[0].model.trim()}), Node.js ${process.versions.node}`;
const PAGE = here('../docs/performance.md');
/** The runs of each goal, from the last run of its benchmark with `--write`. */
const MEASURED = here('goals/measured.json');
const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
const NOTES = join(folder, 'goals');
/** A benchmark that fails keeps its old section, and the others go on. */
const failed = [];
const names = process.argv.slice(2).filter((word) => word !== '--write');
const unknown = names.filter((name) => !BENCHMARKS.some(({ file }) => file === `${name}.mjs`));
if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}`);

const isWriting = process.argv.includes('--write');
const sections = BENCHMARKS.map(({ file, title, whenWriting = [] }) => {
  if (names.length > 0 && !names.includes(file.replace('.mjs', ''))) return sectionOfPage(title);
  const begun = performance.now();
  console.error(`bench/${file} …`);
  const { status, stdout } = spawnSync(process.execPath, [here(file), ...(isWriting ? whenWriting : [])], {
    encoding: 'utf8',
    env: { ...process.env, BENCH_GOALS: NOTES },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.error(`… ${Math.round((performance.now() - begun) / 1_000)} s`);
  for (const line of stdout.split('\n')) if (SLOWER.test(line)) console.error(line);
  if (status !== 0) {
    failed.push(`bench/${file} failed${stdout === '' ? '' : `:\n${stdout}`}`);
    return sectionOfPage(title);
  }
  return `## ${title}\n\n\`node bench/${file}\`, on ${MACHINE}\n\n${stdout.trim()}\n`;
});

/** The section that the last run wrote; empty if no run has written it yet. */
function sectionOfPage(title) {
  const [, section] = readFileSync(PAGE, 'utf8').split(`## ${title}\n`);
  return section === undefined ? '' : `## ${title}\n${section.split('\n## ')[0].trimEnd()}\n`;
}

const noted = existsSync(NOTES) ? readNotes(readFileSync(NOTES, 'utf8')) : {};
const measured = { ...JSON.parse(readFileSync(MEASURED, 'utf8')), ...noted };
rmSync(folder, { recursive: true });

const document = `# Performance

The ratios matter on this page. A benchmark measures both sides of a ratio in turn, in one run on one machine. Absolute times depend on the machine.
Each section describes its baseline and what the baseline leaves out. \`npm run bench -- --write\` writes this page, whole or by sections.
Each section names the machine of its last run, and the goals have the numbers of these runs. Times of different sections can be of different machines.
[Capacity](capacity.md) says how many processes a load needs at these costs.

## Goals

${goalTable(GOALS, measured, ELSEWHERE)}

${sections.join('\n')}`;

if (isWriting) {
  writeFileSync(PAGE, document);
  const lines = Object.entries(measured).map(([id, runs]) => `  ${JSON.stringify(id)}: [${runs.join(', ')}]`);
  writeFileSync(MEASURED, lines.length > 0 ? `{\n${lines.join(',\n')}\n}\n` : '{}\n');
} else console.log(document);
for (const failure of failed) console.error(failure);
process.exitCode = failed.length > 0 ? 1 : 0;
