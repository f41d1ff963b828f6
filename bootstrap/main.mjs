import { renderHelp } from './command-help.mjs';
import { howTo, readCommandLine } from './command-line.mjs';
import { ERRAND } from './commands.mjs';
import { bad } from './report.mjs';

/** Runs one command line and ends the process with its exit code: 2 for one that Errand does not understand. */
export async function main(args) {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  try {
    process.exitCode = await run(args);
  } catch (error) {
    // Our own faults show their stack; what a person can fix says how, and `hint` marks what the compiled part knows about.
    bad(error.title ?? 'errand', error.fix || error.hint ? error : { message: error.stack });
    process.exitCode = error.exitCode ?? 1;
  }
}

/** Nothing is provided, started or ended before the whole line is understood. */
async function run(args) {
  const { command, path, isHelp, options, words } = readCommandLine(ERRAND, args);
  if (isHelp) {
    process.stdout.write(renderHelp(command, path));
    return 0;
  }
  if (options['no-install']) process.env.ERRAND_NO_INSTALL = 'true';
  try {
    await command.needs();
    return await command.run({ options, words });
  } catch (error) {
    error.title ??= path.join(' ');
    if (error.exitCode === 2) error.fix ??= howTo(path);
    throw error;
  }
}

/** A reader that stops reading (`./errand tools | head`) has all that it wants: no fault of ours. */
function endWithReader(stream) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
