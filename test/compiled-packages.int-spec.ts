import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..');

/** The files that a compiled module of an app and its imports have loaded when they are evaluated. */
function filesLoadedBy(module: string): string[] {
  const code = `require('./dist/apps/${module}.js'); process.stdout.write(JSON.stringify(Object.keys(require.cache)))`;
  return JSON.parse(execFileSync(process.execPath, ['-e', code], { cwd: ROOT, encoding: 'utf8' })) as string[];
}

function isEcmaScriptModule(file: string): boolean {
  if (!file.endsWith('.js')) return file.endsWith('.mjs');
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest))
      return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: string }).type === 'module';
  }
  return false;
}

describe('The compiled programs', () => {
  it.each(['api', 'worker', 'script-runner'])('The %s loads no ECMAScript module when it starts', (app) => {
    const files = filesLoadedBy(`${app}/src/start`);
    expect(files).toContain(join(ROOT, 'dist/node_modules/@nestjs/core/index.js'));
    // Each of these packages belongs into the list in bootstrap/commonjs-packages.mjs, because it slows every start.
    expect(files.filter(isEcmaScriptModule)).toEqual([]);
  });

  it('A command of a client loads no package for metrics and YAML', () => {
    const files = filesLoadedBy('errand/src/commands/search-invocations');
    expect(files).toContain(join(ROOT, 'dist/libs/platform/src/metrics.js'));
    // The option `lazy` in .swcrc names them: Node.js loads them at their first use.
    expect(files.filter((file) => /node_modules\/(prom-client|yaml)\//.test(file))).toEqual([]);
  });
});
