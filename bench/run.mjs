// Every benchmark, one after the other; `--write` puts what they print into docs/performance.md.
//   npm run build && npm run bench [-- --write]
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const BENCHMARKS = [
  { file: 'api.mjs', title: 'Accepting and running invocations' },
  { file: 'sandbox.mjs', title: 'Running scripts' },
  { file: 'protocol.mjs', title: 'Parsing text' },
  { file: 'registry.mjs', title: 'Finding tools' },
  { file: 'engine.mjs', title: 'Running workflows' },
];

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const sections = BENCHMARKS.map(({ file, title }) => {
  console.error(`bench/${file} …`);
  const { status, stdout } = spawnSync(process.execPath, [here(file)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`bench/${file} failed`);
  return `## ${title}\n\n\`node bench/${file}\`\n\n${stdout.trim()}\n`;
});

const document = `# Performance

Every figure is a ratio, measured side by side in one run on one machine: absolute times say more about the machine than about Errand.
This page is what \`npm run bench -- --write\` wrote, on ${cpus().length} cores (${cpus()[0].model.trim()}) under Node.js ${process.versions.node}.

${sections.join('\n')}`;

if (process.argv.includes('--write')) writeFileSync(here('../docs/performance.md'), document);
else console.log(document);
