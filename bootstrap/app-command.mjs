import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { stopDaemon } from './docker-daemon.mjs';
import { say } from './report.mjs';
import { DATA_DIR, ROOT } from './settings.mjs';

/** The compiled part of Errand's command line, apps/errand/src/commands. */
const compiled = (name) => `${ROOT}/dist/apps/errand/src/commands/${name}.js`;

/** Whether the last build has a command. */
export const hasCommand = (name) => existsSync(compiled(name));

/** The compiled code is CommonJS. */
const requireCompiled = createRequire(import.meta.url);

/** Sets the default folders, which are inside the folder of Errand. Folders in settings are relative to the current folder. */
function setDefaults() {
  process.env.ERRAND_DATA_DIR = DATA_DIR;
  // `./errand plugin new` makes the second folder.
  const own = `${ROOT}/library`;
  process.env.ERRAND_LIBRARY ||= existsSync(own) ? `${ROOT}/examples:${own}` : `${ROOT}/examples`;
}

/** Makes the `run` of a command that is written in TypeScript: it calls the function `exported` of a compiled file, in this process. */
export function runAppCommand(file, exported) {
  return async (line) => {
    setDefaults();
    return requireCompiled(compiled(file))[exported](line);
  };
}

/** The number of tools in the library, and its problems as lines; undefined without dist/. */
export async function checkLibraryFiles() {
  const module = `${ROOT}/dist/apps/errand/src/tools/check-library.js`;
  if (!existsSync(module)) return undefined;
  setDefaults();
  const { checkLibrary, renderProblem } = requireCompiled(module);
  const { tools, problems } = await checkLibrary();
  return { tools, problems: problems.map(renderProblem) };
}

/** `./errand down`. It needs no build: without dist/ no stack can be running. */
export async function stopRunning(line) {
  const code = existsSync(compiled('down')) ? await runAppCommand('down', 'run')(line) : 0;
  if (line.options.all)
    say(
      (await stopDaemon())
        ? 'Ended the Docker engine that Errand had started.'
        : 'Errand has not started a Docker engine.',
    );
  return code;
}
