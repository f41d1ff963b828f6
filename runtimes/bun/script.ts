/**
 * A process that becomes a script. It holds no data of any run. Its order names the file and the environment. The process has it
 * from its start, or waits for it. From then on the script sees the same as with `bun <entry>`.
 *
 * Each run has its own process, so it imports neither `node:fs` nor another file: that would nearly double its start time. Only a
 * process that has rehearsed has loaded `node:fs`. It reports the end of its script (ADR 151).
 */
import type { Order } from './script-process.ts';

/** The same as in script-process.ts. */
const ORDER_FD = 3;
const STDOUT = 1;
const MAX_MESSAGE = 2_000;
/** The supervisor responds in this time. The removal of this process would keep a processor from it. */
const YIELD_MS = 1;
/** Without an order in this time, the process can rehearse, because a first import takes longest. */
const CALM_MS = 10;
/** The order, if it came before the start of this process (ADR 172). */
const given = process.env.ERRAND_ORDER;
const REHEARSAL: Order = { entry: `${import.meta.dir}/nothing.ts`, folder: '/', env: {} };

let tools: { files: typeof import('node:fs'); report: string } | undefined;
const order = given === undefined ? await rehearseAndAwaitOrder() : JSON.parse(given);
const exit = process.exit.bind(process);
process.exit = (code) => {
  process.off('exit', tellEnd);
  return exit(isCutToNothing(code) ? 1 : code);
};
process.on('uncaughtExceptionMonitor', tell);
process.on('unhandledRejection', endOfRejection);
await become(order);

/** Only a script that ends by itself has written all its output before its `exit` event. */
function prepareEnd(): void {
  const files = process.getBuiltinModule('node:fs');
  tools = { files, report: identityOf(files) };
  process.once('beforeExit', () => process.on('exit', tellEnd));
}

function identityOf(files: typeof import('node:fs')): string {
  const { dev, ino } = files.fstatSync(ORDER_FD);
  return `${dev} ${ino}`;
}

/**
 * Reports a successful end and closes stdout, so that the supervisor need not wait until the kernel has removed this process. A script that
 * listens for its exit may still print, and a script may have put a file of its own in place of the report.
 */
function tellEnd(code: number): void {
  if (!tools || code !== 0 || process.listenerCount('exit') > 1) return;
  const { files, report } = tools;
  try {
    if (identityOf(files) !== report) return;
    files.writeSync(ORDER_FD, `\0${process.resourceUsage().maxRSS}\0`);
    files.closeSync(STDOUT);
    Bun.sleepSync(YIELD_MS);
  } catch {
    // The script closed it.
  }
}

async function become({ entry, folder, env }: Order): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(folder);
  process.argv[1] = entry;
  // `import.meta.main` and `require.main === module` depend on it.
  Object.assign(Bun, { main: entry });
  await import(entry);
}

async function rehearseAndAwaitOrder(): Promise<Order> {
  const coming = awaitOrder();
  const isCalm = await Promise.race([coming.then(() => false), Bun.sleep(CALM_MS).then(() => true)]);
  if (isCalm) await become(REHEARSAL).then(prepareEnd);
  return coming;
}

/** Reads the order, a line of JSON. */
async function awaitOrder(): Promise<Order> {
  const reader = Bun.file(ORDER_FD).stream().getReader();
  const decoder = new TextDecoder();
  for (let line = ''; ;) {
    const { value, done } = await reader.read();
    if (done) process.exit(1);
    line += decoder.decode(value, { stream: true });
    if (!line.endsWith('\n')) continue;
    await reader.cancel(); // closes only the stream's descriptor; ORDER_FD stays open for an uncaught error
    return JSON.parse(line);
  }
}

/** The system keeps eight bits of an exit code. Code 256 would become 0, and a failure would become a success. */
function isCutToNothing(code: unknown): boolean {
  return Number(code) !== 0 && Number(code) % 256 === 0;
}

/** Bun reports no rejection to the monitor. An unhandled rejection ends a script, unless the script listens for it. */
function endOfRejection(reason: unknown): void {
  if (process.listenerCount('unhandledRejection') > 1) return;
  tell(reason);
  console.error(Bun.inspect(reason, { colors: false }));
  process.exit(1);
}

/** Reports the error itself to the supervisor, which never parses the output of a script for it. */
function tell(error: unknown): void {
  const { constructor, name, message } = error instanceof Error ? error : new Error(String(error));
  const type = constructor.name === 'Error' ? name : constructor.name;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  try {
    const { writeSync } = process.getBuiltinModule('node:fs');
    writeSync(ORDER_FD, JSON.stringify({ type, message: message.slice(0, MAX_MESSAGE), code }));
  } catch {
    // The script closed it.
  }
}
