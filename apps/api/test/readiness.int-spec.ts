import { Redis } from 'ioredis';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { startWorker } from '../../worker/src/start.js';

interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
  runners?: Record<string, number>;
}

const tool = (toolId: string, more: object = {}) =>
  JSON.stringify({
    toolId,
    description: 'Prints one',
    version: '1.0.0',
    handler: { type: 'external-script', language: 'python', scriptPath: 'one.py' },
    parameters: { type: 'object', properties: {} },
    ...more,
  });
const SCRIPTS = { 'scripts/one.py': 'print(1)', 'tools/one.tool.json': tool('one:plain') };
const NO_WORKER = 'no worker is alive: accepted invocations wait until one starts';
const NO_RUNNER = 'no script-runner is alive: scripts wait until one starts';

describe('GET /readyz of an API with script tools', () => {
  const stack = useStack({ library: SCRIPTS, env: { ERRAND_LOG_LEVEL: 'silent' } }, { each: true });
  const ready = () => stack.client.get<Readiness>('/readyz');

  it('An API without workers and script-runners is ready, and says that accepted work waits', async () => {
    expect(await ready()).toMatchObject({
      status: 200,
      body: { ready: true, checks: { redis: 'ok', workers: NO_WORKER, scriptRunners: NO_RUNNER } },
    });
  });

  it('The check of the workers is `ok` while a worker is alive, and not after its end', async () => {
    const worker = await startWorker({ ...stack.env, ERRAND_LOG_LEVEL: 'silent' });
    await eventually(async () => (await ready()).body.checks['workers'] === 'ok');
    expect((await ready()).body.checks['scriptRunners']).toBe(NO_RUNNER);
    await worker.close();
    await eventually(async () => (await ready()).body.checks['workers'] === NO_WORKER);
  });

  it('The reason of an API without Redis names no address and no option of a library', async () => {
    await stack.redis.kill();
    const { status, body } = await ready();
    expect({ status, body }).toEqual({
      status: 503,
      body: { ready: false, checks: { redis: 'Redis does not answer' } },
    });
    await stack.redis.restart();
  });
});

describe('GET /readyz of an API without script tools', () => {
  const stack = useStack({ library: { 'tools/README.txt': 'none' } });

  it('An API whose library has no script needs no script-runner', async () => {
    const { body } = await stack.client.get<Readiness>('/readyz');
    expect(body.checks).toEqual({ redis: 'ok', workers: NO_WORKER });
  });
});

describe('GET /readyz of an API whose scripts need a label', () => {
  const stack = useStack({ library: { ...SCRIPTS, 'tools/gpu.tool.json': tool('one:gpu', { runner: 'gpu' }) } });

  it('The check of the script-runners needs a live runner for each label, and names no tool', async () => {
    const redis = new Redis(stack.redis.url);
    const beat = (queue: string) => redis.zadd(`{errand}:consumers:${queue}`, Date.now() + 600_000, 'a runner');
    await beat('scripts');
    const { body } = await stack.client.get<Readiness>('/readyz');
    expect(body.checks['scriptRunners']).toBe(
      'no script-runner that is alive takes some of the scripts: they wait until one starts',
    );
    await beat('scripts.gpu');
    await redis.sadd('{errand}:labels', 'gpu');
    expect((await stack.client.get<Readiness>('/readyz')).body.checks['scriptRunners']).toBe('ok');
    await redis.quit();
  });
});
