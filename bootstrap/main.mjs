import { readFileSync } from 'node:fs';
import { renderHelp } from './command-help.mjs';
import { howTo, readCommandLine } from './command-line.mjs';
import { ERRAND } from './commands.mjs';
import { mappedStack } from './mapped-stack.mjs';
import { bad } from './report.mjs';
import { ROOT } from './settings.mjs';

// An error that no command catches ends the process, and Node.js prints its stack.
process.on('uncaughtExceptionMonitor', (error) => {
  if (typeof error?.stack === 'string') error.stack = mappedStack(error);
});

/** Runs one command line and sets the exit code of the process. The exit code 2 means that Errand does not understand it. */
export async function main(args) {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  try {
    process.exitCode = await run(args);
  } catch (error) {
    // An internal error shows its stack. An error with `fix`, or with `hint` from compiled code, has a message for people.
    bad(error.title ?? 'errand', error.fix || error.hint ? error : { message: mappedStack(error) });
    process.exitCode = error.exitCode ?? 1;
  }
}

/** Reads the whole command line before it provides, starts or ends anything. */
async function run(args) {
  const { command, path, isHelp, isVersion, options, words } = readCommandLine(ERRAND, args);
  if (isHelp) {
    process.stdout.write(renderHelp(command, path));
    return 0;
  }
  if (isVersion) {
    process.stdout.write(`errand ${versionOfErrand()}\n`);
    return 0;
  }
  if (options['no-install']) process.env.ERRAND_NO_INSTALL = 'true';
  try {
    await command.needs({ options, words });
    return await command.run({ options, words });
  } catch (error) {
    error.title ??= path.join(' ');
    if (error.exitCode === 2) error.fix ??= howTo(path);
    throw error;
  }
}

const versionOfErrand = () => JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).version;

/** A reader may stop reading (`./errand tools | head`). The process then ends without an error. */
function endWithReader(stream) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
