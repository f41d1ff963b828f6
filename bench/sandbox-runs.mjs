/** Shared by the benchmarks of the sandbox: scripts, runs with Errand and with the bare Docker engine, Bun as a program of the host. */
import { createWriteStream, chmodSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { extract } from 'tar-stream';

const built = createRequire(new URL('../dist/apps/script-runner/src/sandbox/', import.meta.url));
const { DEFAULT_LIMITS, DockerSandbox } = built('./index.js');
const { containerOptions } = built('./container-options.js');
const { environmentOf } = built('./environment.js');

export const { SupervisorChannel } = built('./protocol/channel.js');

export const images = {
  python: process.env.ERRAND_IMAGE_PYTHON ?? 'errand-runner-python',
  bun: process.env.ERRAND_IMAGE_BUN ?? 'errand-runner-bun',
  nodejs: process.env.ERRAND_IMAGE_BUN ?? 'errand-runner-bun',
};
export const docker = new Docker();

/** By language: a script that prints the time, and the shortest command that prints something in a bare container. */
export const LANGUAGES = {
  python: {
    entry: 'main.py',
    clock: 'import time\nprint(time.time() * 1000)',
    bare: ['python3', '-c', 'print(1)'],
  },
  bun: {
    entry: 'main.ts',
    clock: 'console.log(performance.timeOrigin + performance.now())',
    bare: ['bun', '-e', 'console.log(1)'],
  },
};

/** Milliseconds since 1970, with fractions, unlike `Date.now`. */
export const now = () => performance.timeOrigin + performance.now();
let opened = 0;

/** A sandbox with its own runner id. */
export function openSandbox(pool) {
  const runnerId = `bench-${process.pid}-${opened++}`;
  const sandbox = new DockerSandbox({ images, runnerId, maxima: DEFAULT_LIMITS, pool });
  return Object.assign(sandbox, { runnerId });
}

/** Runs a script once and returns its result. */
export function runScript(sandbox, language, source, { onLog = () => {}, reuse } = {}) {
  const { entry } = LANGUAGES[language];
  const bundle = { language, entry, files: [{ path: entry, base64: Buffer.from(source).toString('base64') }] };
  const spec = { invocationId: 'bench', step: 0, toolId: 'bench:run', bundle, input: null, limits: {}, reuse };
  return sandbox.run(spec, { signal: new AbortController().signal, onLog });
}

let made = 0;
/**
 * A container with the same isolation, by the bare engine API: create, attach, start, wait. Its network is what `docker run --network none`
 * makes. Returns a function that removes it.
 */
export async function runBare(language) {
  const name = `errand-bench-${process.pid}-${made++}`;
  const environment = environmentOf(language, DEFAULT_LIMITS, { images });
  const plan = {
    name,
    runnerId: 'bench',
    installation: 'bench',
    purpose: { role: 'pool' },
    deadline: Date.now() + 3_600_000,
    environment,
  };
  const options = containerOptions(plan);
  const container = await docker.createContainer({
    ...options,
    NetworkDisabled: false,
    Entrypoint: LANGUAGES[language].bare,
    HostConfig: { ...options.HostConfig, AutoRemove: false },
  });
  const stream = await container.attach({ stream: true, stdout: true, stderr: true, hijack: true });
  stream.resume();
  await container.start();
  const { StatusCode } = await container.wait();
  if (StatusCode !== 0) throw new Error(`the container ended with ${StatusCode}`);
  return () => container.remove();
}

/** Bun of the image as a program of the host. */
export async function takeBunOut(folder) {
  const container = await docker.createContainer({ Image: images.bun });
  const path = join(folder, 'bun');
  const entries = (await container.getArchive({ path: '/usr/local/bin/bun' })).pipe(extract());
  for await (const entry of entries) await pipeline(entry, createWriteStream(path));
  await container.remove();
  chmodSync(path, 0o755);
  return path;
}

export async function untilWaiting(sandbox, count) {
  for (const end = Date.now() + 60_000; sandbox.waiting < count; await delay(10))
    if (Date.now() > end) throw new Error(`${sandbox.waiting} containers wait, not ${count}`);
}
