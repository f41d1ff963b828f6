import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { stopDaemon } from './docker-daemon.mjs';
import { say } from './report.mjs';
import { DATA_DIR, ROOT } from './settings.mjs';

/** The compiled part of Errand's command line, apps/errand/src/commands. */
const compiled = (name) => `${ROOT}/dist/apps/errand/src/commands/${name}.js`;

/** The compiled code is CommonJS. */
const requireCompiled = createRequire(import.meta.url);

/** Relative to this folder wherever one calls from; what somebody set is relative to where they stand. */
function setDefaults() {
  process.env.ERRAND_DATA_DIR = DATA_DIR;
  process.env.ERRAND_LIBRARY ||= `${ROOT}/examples`;
}

/** Runs a command that is written in TypeScript, in this very process: the function `exported` of a compiled file. */
export function runAppCommand(file, exported) {
  return async (line) => {
    setDefaults();
    process.setSourceMapsEnabled(true);
    return requireCompiled(compiled(file))[exported](line);
  };
}

/** How many tools the library has and what is wrong with its files, a line each; undefined without dist/. */
export async function checkLibraryFiles() {
  const module = `${ROOT}/dist/apps/errand/src/tools/check-library.js`;
  if (!existsSync(module)) return undefined;
  setDefaults();
  const { checkLibrary, renderProblem } = requireCompiled(module);
  const { tools, problems } = await checkLibrary();
  return { tools, problems: problems.map(renderProblem) };
}

/** `./errand down` needs no build: without dist/ no stack can be running. */
export async function stopRunning(line) {
  const code = existsSync(compiled('down')) ? await runAppCommand('down', 'run')(line) : 0;
  if (line.options.all)
    say(
      (await stopDaemon())
        ? 'Ended the Docker engine that Errand had started.'
        : 'Errand has started no Docker engine.',
    );
  return code;
}
