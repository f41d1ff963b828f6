// Runs benchmarks one after the other; `--write` writes their output to docs/performance.md. Without names, all of them run.
//   npm run build && npm run bench [-- [--write] [api|cost|consumer|cancel|sandbox|sandbox-trace|protocol|registry|engine|starts|agents/mcp]...]
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const BENCHMARKS = [
  { file: 'api.mjs', title: 'Accepting and running invocations' },
  { file: 'cost.mjs', title: 'The cost of an invocation' },
  { file: 'consumer.mjs', title: 'Taking and ending jobs' },
  { file: 'cancel.mjs', title: 'Cancelling waiting invocations' },
  { file: 'sandbox.mjs', title: 'Running scripts' },
  { file: 'sandbox-trace.mjs', title: 'Where the time of a script goes' },
  { file: 'protocol.mjs', title: 'Parsing text' },
  { file: 'registry.mjs', title: 'Finding tools' },
  { file: 'engine.mjs', title: 'Running workflows' },
  { file: 'starts.mjs', title: 'Starting processes' },
  { file: 'agents/turns.mjs', title: 'Running turns of agents' },
  { file: 'agents/sessions.mjs', title: 'Long conversations' },
  { file: 'agents/agui.mjs', title: 'Serving AG-UI clients' },
  { file: 'agents/mcp.mjs', title: 'Serving MCP clients' },
  { file: 'agents/boot.mjs', title: 'Starting with agents' },
];

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const PAGE = here('../docs/performance.md');
const names = process.argv.slice(2).filter((word) => word !== '--write');
const unknown = names.filter((name) => !BENCHMARKS.some(({ file }) => file === `${name}.mjs`));
if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}`);

const sections = BENCHMARKS.map(({ file, title }) => {
  if (names.length > 0 && !names.includes(file.replace('.mjs', ''))) return sectionOfPage(title);
  console.error(`bench/${file} …`);
  const { status, stdout } = spawnSync(process.execPath, [here(file)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`bench/${file} failed`);
  return `## ${title}\n\n\`node bench/${file}\`\n\n${stdout.trim()}\n`;
});

/** The section that the last run wrote; empty if no run has written it yet. */
function sectionOfPage(title) {
  const [, section] = readFileSync(PAGE, 'utf8').split(`## ${title}\n`);
  return section === undefined ? '' : `## ${title}\n${section.split('\n## ')[0].trimEnd()}\n`;
}

const document = `# Performance

The ratios matter on this page. A benchmark measures both sides of a ratio in turn, in one run on one machine. Absolute times depend on the machine.
Each section describes its baseline and what the baseline leaves out. \`npm run bench -- --write\` writes this page; it ran on ${cpus().length} cores (${cpus()[0].model.trim()}) under Node.js ${process.versions.node}.

${sections.join('\n')}`;

if (process.argv.includes('--write')) writeFileSync(PAGE, document);
else console.log(document);
