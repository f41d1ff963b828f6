/** Measures a caller's wait, from the HTTP request to the result of a script, through API, queue, worker and script-runner. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { timeOfProcess } from './interpreters.mjs';
import { freePort, startModule, startRedis } from './measure.mjs';
import { images, LANGUAGES } from './sandbox-runs.mjs';

const APP = fileURLToPath(new URL('start-app.mjs', import.meta.url));
const WARM_UP = 3;
/** Invocations before the first measured one. After them, V8 has compiled the code of each process, as in a service that runs for a while. */
const USE = 3_000;
const AT_ONCE = 4;
const BOOT_MS = 60_000;
/** A container that has just been filled in still starts up, and the one before it still ends. Both take CPU time. */
export const SETTLE_MS = 500;

/**
 * Measures in turn a run over HTTP whose container waits, and a plain process of the host, so that other load affects both. Returns the
 * times of both in ms.
 */
export async function measureOverHttp(language, command, rounds) {
  const stack = await startStack(language);
  const times = { ours: [], host: [] };
  try {
    await stack.use();
    for (let round = -WARM_UP; round < rounds; round++) {
      await stack.untilFilled();
      const host = await timeOfProcess(command);
      const start = performance.now();
      await stack.invoke();
      const ours = performance.now() - start;
      if (round < 0) continue;
      times.host.push(host);
      times.ours.push(ours);
    }
  } finally {
    await stack.stop();
  }
  return times;
}

/**
 * Starts Redis, API, worker and script-runner as processes, as Errand does. The library has one tool, whose script prints the time, and the
 * same tool with `reuse`, with which `use` warms the processes up.
 * @param app the program of each process; it sends `{ready}` over IPC
 * @param script another script than the one that prints the time
 */
export async function startStack(language, { app = APP, script = LANGUAGES[language].clock } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  writeLibrary(join(folder, 'library'), language, script);
  const redis = await startRedis();
  const healthPort = await freePort();
  const env = {
    ERRAND_PORT: '0',
    ERRAND_REDIS_URL: redis.url,
    ERRAND_LOG_LEVEL: 'error',
    ERRAND_LIBRARY: join(folder, 'library'),
    ERRAND_DATA_DIR: join(folder, 'data'),
    ERRAND_IMAGE_PYTHON: images.python,
    ERRAND_IMAGE_BUN: images.bun,
    ERRAND_POOL_MIN: '1',
    ERRAND_POOL_MAX: '2',
  };
  const started = [];
  const start = async (name, more = {}) => {
    const process = await startModule(app, { ...env, ...more, APP: name }, name === 'runner' ? [] : undefined);
    started.unshift(process);
    return process;
  };
  const stop = async () => {
    // The containers of the script-runner end with it.
    for (const process of started) await process.stop();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const api = await start('api');
    await start('worker');
    await start('runner', { ERRAND_HEALTH_PORT: String(healthPort) });
    const invokeTool = (toolId) => invoke(`${api.ready}/v1/invocations`, toolId);
    return {
      stop,
      processes: started,
      invoke: () => invokeTool('bench:clock'),
      use: async () => {
        const lane = async () => {
          for (let i = 0; i < USE / AT_ONCE; i++) await invokeTool('bench:reused');
        };
        await Promise.all(Array.from({ length: AT_ONCE }, lane));
      },
      untilFilled: async () => {
        await untilWaiting(`http://127.0.0.1:${healthPort}/readyz`, Number(env.ERRAND_POOL_MAX));
        await delay(SETTLE_MS);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function writeLibrary(folder, language, script) {
  const { entry } = LANGUAGES[language];
  const tool = {
    toolId: 'bench:clock',
    description: 'Returns the time',
    version: '1.0.0',
    handler: { type: 'external-script', language, scriptPath: `clock/${entry}` },
    parameters: { type: 'object', properties: {} },
  };
  const files = {
    'tools/clock.tool.json': JSON.stringify(tool),
    'tools/reused.tool.json': JSON.stringify({ ...tool, toolId: 'bench:reused', reuse: 'per-tool' }),
    [`scripts/clock/${entry}`]: script,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Returns the result of the script. */
async function invoke(url, toolId) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=60' },
    body: JSON.stringify({ toolId, arguments: {} }),
  });
  const { status, error, result } = await response.json();
  if (status !== 'succeeded') throw new Error(`the script ${status}: ${JSON.stringify(error)}`);
  return result;
}

/** One container for each language waits, as in an idle runner. */
async function untilWaiting(url, count) {
  for (const end = Date.now() + BOOT_MS; Date.now() < end; await delay(20)) {
    const { load } = await (await fetch(url)).json();
    if (load?.waiting >= count && load.inHand === 0) return;
  }
  throw new Error(`fewer than ${count} containers wait after ${BOOT_MS} ms`);
}
