/** `npm run build`: compiles TypeScript into dist/, with the folders of the sources, and copies the data files. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parse } from 'yaml';
import { buildConsole, CONSOLE_FOLDER } from './build-console.mjs';
import { compilePackages } from './commonjs-packages.mjs';
import { stamp } from './digest.mjs';
import { BUILD_STAMP, sourcesDigest } from './needs/compiled-code.mjs';
import { runCommand } from './run-command.mjs';
import { ROOT } from './settings.mjs';

/** The endings of the files that are read at run time, besides TypeScript. */
const DATA_FILES = {
  plugins: ['.yaml', '.json', '.py', '.js', '.txt'],
  libs: ['.json', '.lua'],
  // Script-runners attack their own sandboxes on request.
  'test/escapes/attacks': ['.py', '.js'],
};
const isConfiguration = (path) => /(^|\/)tsconfig[^/]*\.json$/.test(path);

const digest = sourcesDigest();
removeOutput();
try {
  // One Nest project compiles everything but the console: nest-cli.json names all source folders for it.
  await runCommand('node', ['node_modules/@nestjs/cli/bin/nest.js', 'build', 'api'], { cwd: ROOT, timeoutMs: 240_000 });
  await buildConsole();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
for (const [folder, endings] of Object.entries(DATA_FILES)) copyData(folder, endings);
writeAsJson('plugins/core/plugin.yaml');
compilePackages();
stamp(BUILD_STAMP, digest);

/** The console stays: it has a stamp of its own. */
function removeOutput() {
  const dist = join(ROOT, 'dist');
  for (const folder of [dist, join(dist, 'apps')])
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const path = join(folder, name);
      if (path !== join(dist, 'apps') && path !== CONSOLE_FOLDER) rmSync(path, { recursive: true, force: true });
    }
}

/** Writes a manifest as JSON, which is YAML as well. Each process and command parses it at its start, and YAML takes 0.4 s of that. */
function writeAsJson(path) {
  const manifest = parse(readFileSync(join(ROOT, path), 'utf8'));
  writeFileSync(join(ROOT, 'dist', path), `${JSON.stringify(manifest, null, 1)}\n`);
}

function copyData(folder, endings) {
  for (const path of readdirSync(join(ROOT, folder), { recursive: true })) {
    const isLeftOut = isConfiguration(path) || /(^|\/)(?:test|node_modules)\//.test(path);
    const wanted = endings.includes(extname(path)) && !isLeftOut;
    if (wanted && statSync(join(ROOT, folder, path)).isFile())
      cpSync(join(ROOT, folder, path), join(ROOT, 'dist', folder, path));
  }
}
