import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { say } from './report.mjs';
import { DATA_DIR } from './settings.mjs';

const LINES = 500;

/** `./errand logs`: prints the end of the log of the stack, and with --follow its new lines. */
export async function showLog({ options }) {
  const file = `${DATA_DIR}/errand.log`;
  if (!existsSync(file)) {
    say(`The log does not exist yet (${file}); ./errand up writes it.`);
    return 1;
  }
  const follow = options.follow ? ['-F'] : [];
  // Ctrl-C ends `tail`, too. It is the normal end of the command, not a failure.
  process.on('SIGINT', () => {});
  const [code] = await once(spawn('tail', ['-n', String(LINES), ...follow, file], { stdio: 'inherit' }), 'close');
  return code ?? 0;
}
