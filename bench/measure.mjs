// Shared by the benchmarks: a private Redis, child processes, medians, a table.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The middle of a list of numbers, or any other quantile (0 to 1). */
export function quantile(numbers, q = 0.5) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/**
 * A private redis-server with an append-only file, as `errand up` runs it. `kill` leaves the file behind, and `restart` reads it.
 * @param appendfsync when Redis syncs a write to disk: `everysec`, or `always` (before the response)
 */
export async function startRedis(appendfsync = 'everysec') {
  const dir = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  const port = await freePort();
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'yes', appendfsync, dir };
  let child = await spawnRedis(options);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    restart: async () => void (child = await spawnRedis(options)),
    stop: async () => {
      await kill();
      // A child of Redis may still be rewriting the file.
      rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  };
}

/** The processes that have been started. They end with this one, also if it fails. Otherwise they keep its output open, and `bench/run.mjs` waits for them. */
const started = new Set();
process.on('exit', () => started.forEach((child) => child.kill('SIGKILL')));

async function spawnRedis(options) {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.add(child);
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break;
  child.stdout.resume();
  return child;
}

/** The V8 flags of the API and the worker: those in package.json, and the one that they set themselves (`allocateYoung`). */
const FLAGS = ['--max-semi-space-size=32', '--no-allocation-site-pretenuring'];

/**
 * Starts a child that sends `{ready}` over IPC. Returns that value and a function that stops the child.
 * @param execArgv the flags of V8, after those of this process; bare processes get the same flags as Errand's
 */
export async function startModule(path, env, execArgv = FLAGS) {
  const child = fork(path, {
    execArgv: [...process.execArgv, ...execArgv],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  started.add(child);
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${path} exited with ${code}`))),
  ]);
  return {
    ready: message.ready,
    pid: child.pid,
    child,
    stop: async () => void (child.exitCode ?? child.signalCode ?? (child.kill('SIGKILL'), await once(child, 'exit'))),
  };
}

/** The processor time that a process has used, in ms. Linux counts in hundredths of a second. */
export function cpuTimeOf(pid) {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** Runs both sides like `inTurn`. Returns the medians, their ratio, and the lowest and the highest ratio of a round. */
export async function sideBySide(rounds, ours, theirs) {
  return compared(await inTurn(rounds, ours, theirs));
}

/**
 * Runs both sides in turn, `rounds` times, so that other load affects both. Each goes first in every second round: the work that one leaves
 * behind falls into the time of the other. Returns what each side returned in each round.
 */
export async function inTurn(rounds, ours, theirs) {
  const results = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++) {
    const sides = [async () => results.theirs.push(await theirs()), async () => results.ours.push(await ours())];
    for (const run of round % 2 === 0 ? sides : sides.toReversed()) await run();
  }
  return results;
}

/** The medians of the rounds of both sides, their ratio, the ratios of the rounds, and the lowest and the highest of these. */
export function compared({ ours, theirs }) {
  const [a, b] = [quantile(ours), quantile(theirs)];
  const ratios = ours.map((value, round) => value / theirs[round]);
  return { ours: a, theirs: b, ratio: a / b, ratios, range: [Math.min(...ratios), Math.max(...ratios)] };
}

/** The cells of a ratio in a table: the ratio of the medians, and its range over the rounds. */
export function ratioCells({ ratio, range }) {
  return [ratio.toFixed(2), range ? range.map((each) => each.toFixed(2)).join('–') : ''];
}

/** Rows as a Markdown table. */
export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
