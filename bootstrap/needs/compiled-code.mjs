import { existsSync } from 'node:fs';
import { canBuildConsole, isConsoleBuilt } from '../build-console.mjs';
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
export const sourcesDigest = () => digestOf(ROOT, SOURCES, (path) => !isLeftOut(path));

/** Whether a build leaves a file out: it is of a test, or of the console, which has a stamp of its own. */
const isLeftOut = (path) => /[.-]spec\.ts$|^(?:apps|libs|plugins)\/.*\/test\/|^apps\/console\//.test(path);

/** The folder dist/, compiled from the current sources. */
export const build = {
  title: 'build',
  fix: 'run `npm run build`',
  async check() {
    const isCompiled = existsSync(BUILD_STAMP) && isStamped(BUILD_STAMP, sourcesDigest());
    return isCompiled && (isConsoleBuilt() || !canBuildConsole()) ? 'dist/ fits the sources' : undefined;
  },
  async make(report) {
    report('compiling apps, libs and plugins into dist/');
    await runCommand('npm', ['run', '--silent', 'build'], { cwd: ROOT, timeoutMs: 300_000 });
    return 'compiled into dist/';
  },
};
