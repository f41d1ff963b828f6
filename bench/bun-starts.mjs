/** Prints the processor time of a Bun script's process: if it starts with its order, and if it waits for it (ADR 172). */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeBunOut } from './sandbox-runs.mjs';
import { quantile, table } from './measure.mjs';

const STARTS = Number(process.argv[2] ?? 40);
const ROUNDS = 5;
const TICK_MS = 10;
const SCRIPT = fileURLToPath(new URL('../runtimes/bun/script.ts', import.meta.url));
const ENV = { PATH: process.env.PATH, HOME: '/tmp', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' };

/** The processor time of all ended children of this process, in ms. */
function childTime() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return (Number(user) + Number(system)) * TICK_MS;
}

async function run(command, env, message = '') {
  const child = spawn(command[0], command.slice(1), { env, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  child.stdio[3].on('error', () => {}); // the script ends without reading all
  child.stdio[3].write(message);
  child.stdout.resume();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
}

async function perStart(start) {
  const before = childTime();
  for (let i = 0; i < STARTS; i++) await start();
  return (childTime() - before) / STARTS;
}

const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
try {
  const bun = await takeBunOut(folder);
  const built = spawnSync(bun, ['build', '--target=bun', '--minify', `--outdir=${folder}`, SCRIPT]);
  if (built.status !== 0) throw new Error(String(built.stderr));
  const entry = join(folder, 'main.ts');
  writeFileSync(entry, 'console.log(1)');
  const order = JSON.stringify({ entry, folder, env: { PATH: process.env.PATH, HOME: '/tmp' } });
  const script = [bun, '--no-install', join(folder, 'script.js')];
  const noPool = { ...ENV, BUN_FEATURE_FLAG_DISABLE_ASYNC_TRANSPILER: '1' };
  const ways = {
    'waits for its order': () => run(script, ENV, `${order}\n`),
    'starts with its order': () => run(script, { ...noPool, ERRAND_ORDER: order }),
    '… and a pool of threads': () => run(script, { ...ENV, ERRAND_ORDER: order }),
    '`bun main.ts`': () => run([bun, '--no-install', entry], ENV),
  };
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [way, start] of Object.entries(ways)) times[way].push(await perStart(start));
  const waits = quantile(times['waits for its order']);
  const rows = Object.entries(times).map(([way, list]) => {
    const time = quantile(list);
    return [way, `${time.toFixed(1)} ms`, (time / waits).toFixed(2)];
  });
  console.log(table(['process', 'CPU per start', 'of one that waits'], rows));
} finally {
  rmSync(folder, { recursive: true });
}
