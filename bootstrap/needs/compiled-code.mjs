import { existsSync } from 'node:fs';
import { digestOf, isStamped } from '../digest.mjs';
import { runCommand } from '../run-command.mjs';
import { ROOT } from '../settings.mjs';

const SOURCES = [
  'apps',
  'libs',
  'plugins',
  'test/escapes/attacks',
  'nest-cli.json',
  '.swcrc',
  'tsconfig.json',
  'package-lock.json',
  'bootstrap/build.mjs',
  'bootstrap/commonjs-packages.mjs',
];

export const BUILD_STAMP = `${ROOT}/dist/.sources`;
export const sourcesDigest = () => digestOf(ROOT, SOURCES, (path) => !/[.-]spec\.ts$/.test(path));

/** The folder dist/, compiled from the current sources. */
export const build = {
  title: 'build',
  fix: 'run `npm run build`',
  async check() {
    return existsSync(BUILD_STAMP) && isStamped(BUILD_STAMP, sourcesDigest()) ? 'dist/ fits the sources' : undefined;
  },
  async make(report) {
    report('compiling apps, libs and plugins into dist/');
    await runCommand('npm', ['run', '--silent', 'build'], { cwd: ROOT, timeoutMs: 300_000 });
    return 'compiled into dist/';
  },
};
