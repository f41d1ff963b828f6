/**
 * What the sandbox costs: one small Python script, run by turns through the sandbox, through the bare engine API with the same
 * flags (create, attach, start, wait, remove), and as a plain process of the host. Prints a Markdown table; the ratios are what
 * counts, for all are taken in one go on one machine.
 *
 *   npm run build && node bench/sandbox.mjs [rounds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import Docker from 'dockerode';

const built = createRequire(new URL('../dist/apps/script-runner/src/sandbox/', import.meta.url));
const { DEFAULT_LIMITS, DockerSandbox } = built('./index.js');
const { containerOptions } = built('./container-options.js');
const { environmentOf } = built('./environment.js');

const IMAGE = process.env.ERRAND_IMAGE_PYTHON ?? 'errand-runner-python';
const SOURCE = 'print(6 * 7)';
const ROUNDS = Number(process.argv[2] ?? 20);
const AT_ONCE = 4;

const docker = new Docker();
const images = { python: IMAGE, bun: IMAGE, nodejs: IMAGE };
const sandbox = new DockerSandbox({
  images,
  runnerId: `bench-${process.pid}`,
  maxima: DEFAULT_LIMITS,
});

async function inSandbox() {
  const files = [{ path: 'main.py', base64: Buffer.from(SOURCE).toString('base64') }];
  const bundle = { language: 'python', entry: 'main.py', files };
  const signal = new AbortController().signal;
  const result = await sandbox.run(
    { invocationId: 'bench', step: 0, toolId: 'bench:run', bundle, input: null, limits: {} },
    { signal, onLog: () => {} },
  );
  if (result !== 42) throw new Error(`the sandbox gave ${JSON.stringify(result)}`);
}

let made = 0;
async function inBareContainer() {
  const name = `errand-bench-${process.pid}-${made++}`;
  const environment = environmentOf('python', DEFAULT_LIMITS, { images });
  const options = containerOptions({ name, runnerId: 'bench', purpose: { role: 'pool' }, deadline: 0, environment });
  const container = await docker.createContainer({
    ...options,
    Entrypoint: ['python3', '-c', SOURCE],
    HostConfig: { ...options.HostConfig, AutoRemove: false },
  });
  const stream = await container.attach({ stream: true, stdout: true, stderr: true, hijack: true });
  stream.resume();
  await container.start();
  const { StatusCode } = await container.wait();
  if (StatusCode !== 0) throw new Error(`the container ended with ${StatusCode}`);
  await container.remove();
}

async function onHost() {
  const [code] = await once(spawn('python3', ['-c', SOURCE], { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`python3 ended with ${code}`);
}

async function timed(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Until the result and, with `close`, until nothing is left: both sides pay for the removal. */
async function perSecond(run) {
  const lane = async () => {
    for (let i = 0; i < ROUNDS / AT_ONCE; i++) await run();
  };
  const ms = await timed(async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    await sandbox.idle();
  });
  return (Math.ceil(ROUNDS / AT_ONCE) * AT_ONCE * 1000) / ms;
}

function quantile(times, q) {
  return times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))];
}

const { ok, reason } = await sandbox.ping();
if (!ok) throw new Error(reason);

const ways = [
  { name: 'sandbox, to the result', run: inSandbox, times: [] },
  { name: 'bare engine API, same flags', run: inBareContainer, times: [] },
  { name: '`python3 -c` on the host', run: onHost, times: [] },
];
for (const { run } of ways) await run();
for (let round = 0; round < ROUNDS; round++) {
  for (const { run, times } of ways) times.push(await timed(run));
  await sandbox.idle();
}
for (const way of ways) way.perSecond = await perSecond(way.run);

const base = ways[1];
console.log(`A Python script that prints a number; ${ROUNDS} rounds by turns, then ${AT_ONCE} at once.\n`);
console.log(`| way | p50 ms | p95 ms | p50 against the bare API | runs/s, ${AT_ONCE} at once | against the bare API |`);
console.log('|---|---:|---:|---:|---:|---:|');
for (const { name, times, perSecond: rate } of ways) {
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  const ratio = (p50 / quantile(base.times, 0.5)).toFixed(2);
  const cells = [
    name,
    p50.toFixed(0),
    p95.toFixed(0),
    `${ratio}×`,
    rate.toFixed(1),
    `${(rate / base.perSecond).toFixed(2)}×`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
