import { hasCommand, runAppCommand } from './app-command.mjs';
import { CODE, ensure } from './ensure.mjs';

/** The options of `./errand logs` for the log of the stack. */
export const LOG_OPTIONS = {
  lines: { type: 'string', short: 'n', value: '<number>', does: 'print this number of lines; default: 500' },
  follow: { type: 'boolean', short: 'f', does: 'print new lines as they come; Ctrl-C ends it' },
  id: { type: 'string', value: '<invocation>', does: 'only lines about this invocation' },
  level: {
    type: 'string',
    value: '<level>',
    does: 'only this level and above: trace, debug, info, warn, error, fatal',
  },
  json: { type: 'boolean', does: 'print JSON lines, also on a terminal' },
};

export const LOG_NOTES = [
  'On a terminal the log is for people. Piped, each line is JSON.',
  'All logs in the data folder (*.log) are merged by time: errand.log, and those of processes that you started yourself.',
].join('\n');

/** `./errand logs`. It uses the code of the last build, because people read the log when something does not work. */
export async function showLog(line) {
  if (!hasCommand('stack-log')) await ensure(CODE, { reportAll: false });
  return runAppCommand('stack-log', 'run')(line);
}
