/**
 * A process that waits to become a script. It holds nothing of anyone's: the order that comes says which file to run, with
 * which environment. From then on the script sees what `bun <entry>` would show it.
 */
import { readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './code-of.ts';
import { ORDER_FD, type Order } from './script-process.ts';

const MAX_MESSAGE = 2_000;

const { entry, env } = awaitOrder();
for (const name of Object.keys(process.env)) delete process.env[name];
Object.assign(process.env, env);
process.chdir(dirname(entry));
process.argv[1] = entry;
// What `import.meta.main` and `require.main === module` are derived from.
Object.assign(Bun, { main: entry });
tellOfUncaughtErrors();
await import(entry);

function awaitOrder(): Order {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(65_536);
    const length = readSync(ORDER_FD, chunk);
    if (length === 0) process.exit(1);
    chunks.push(chunk.subarray(0, length));
    if (chunk[length - 1] === 10) return JSON.parse(Buffer.concat(chunks).toString());
  }
}

/** Hands the error itself to the supervisor; what a script printed is never guessed at. */
function tellOfUncaughtErrors(): void {
  process.on('uncaughtExceptionMonitor', tell);
  // Bun tells the monitor of no rejection. One that nobody handles ends a script, unless it listens for such itself.
  process.on('unhandledRejection', (reason) => {
    if (process.listenerCount('unhandledRejection') > 1) return;
    tell(reason);
    console.error(Bun.inspect(reason, { colors: false }));
    process.exit(1);
  });
}

function tell(error: unknown): void {
  const { constructor, name, message } = error instanceof Error ? error : new Error(String(error));
  const type = constructor.name === 'Error' ? name : constructor.name;
  try {
    writeSync(ORDER_FD, JSON.stringify({ type, message: message.slice(0, MAX_MESSAGE), code: codeOf(error) }));
  } catch {
    // The script closed it.
  }
}
