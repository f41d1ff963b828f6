import { once } from 'node:events';
import { startStackProcess } from '../stack-process.js';
import { say } from '../terminal.js';

/** `./errand up`: runs the stack until a signal ends it. The stack also gets a second signal, and then ends at once. */
export async function run(): Promise<number> {
  const stack = await startStackProcess(
    { ...process.env, ERRAND_DATA_DIR: process.env['ERRAND_DATA_DIR'] ?? '.errand' },
    'inherit',
  );
  let signalled = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!signalled) say('Finishing running jobs; press Ctrl-C again to end at once …');
      signalled = true;
      stack.child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  }
  say(`The console is at ${stack.url}/console/, and the HTTP API is described at ${stack.url}/docs`);
  say('Ctrl-C ends it · ./errand logs -f follows its log · ./errand invoke submits a text');
  await once(stack.child, 'exit');
  return stack.child.exitCode ?? 1;
}
