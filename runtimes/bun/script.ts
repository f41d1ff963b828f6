/**
 * A process that waits to become a script. It holds nothing of anyone's: the order that comes says which file to run, with
 * which environment. From then on the script sees what `bun <entry>` would show it.
 *
 * One is started for every run, so it loads nothing, neither `node:fs` nor another file of ours: that would nearly double what its start
 * takes.
 */
import type { Order } from './script-process.ts';

/** As in script-process.ts. */
const ORDER_FD = 3;
const MAX_MESSAGE = 2_000;
/** Whoever is told nothing in this time waits in a pool, and has time to rehearse: what is done for the first time takes longest. */
const CALM_MS = 10;
const mayRehearse = 'ERRAND_REHEARSE' in process.env;
const REHEARSAL: Order = { entry: `${import.meta.dir}/nothing.ts`, folder: '/', env: {} };

const coming = awaitOrder();
if (mayRehearse && (await isCalm())) await become(REHEARSAL);
const order = await coming;
const exit = process.exit.bind(process);
process.exit = (code) => exit(isCutToNothing(code) ? 1 : code);
process.on('uncaughtExceptionMonitor', tell);
process.on('unhandledRejection', endOfRejection);
await become(order);

async function become({ entry, folder, env }: Order): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(folder);
  process.argv[1] = entry;
  // What `import.meta.main` and `require.main === module` are derived from.
  Object.assign(Bun, { main: entry });
  await import(entry);
}

function isCalm(): Promise<boolean> {
  return Promise.race([coming.then(() => false), Bun.sleep(CALM_MS).then(() => true)]);
}

/** A line of JSON. */
async function awaitOrder(): Promise<Order> {
  const reader = Bun.file(ORDER_FD).stream().getReader();
  const decoder = new TextDecoder();
  for (let line = ''; ;) {
    const { value, done } = await reader.read();
    if (done) process.exit(1);
    line += decoder.decode(value, { stream: true });
    if (!line.endsWith('\n')) continue;
    await reader.cancel(); // which closes its own descriptor only: ours is for what there may be to tell
    return JSON.parse(line);
  }
}

/** The system keeps eight bits of an exit code. Of 256 none is left, which shall not turn a failure into a success. */
function isCutToNothing(code: unknown): boolean {
  return Number(code) !== 0 && Number(code) % 256 === 0;
}

/** Bun tells the monitor of no rejection. One that nobody handles ends a script, unless it listens for such itself. */
function endOfRejection(reason: unknown): void {
  if (process.listenerCount('unhandledRejection') > 1) return;
  tell(reason);
  console.error(Bun.inspect(reason, { colors: false }));
  process.exit(1);
}

/** Hands the error itself to the supervisor; what a script printed is never guessed at. */
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
