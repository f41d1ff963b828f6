import { execFile, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Invocation, InvocationRow, Tool } from '@errand/contracts';
import Docker from 'dockerode';
import { describeWithDocker } from './escapes/real-sandbox.js';
import { freePort } from './support/start-redis.js';
import { useStack } from './support/start-stack.js';

/** Prints its input. */
const ECHO = 'import json, sys\nprint(json.dumps(json.load(sys.stdin)))\n';
/** Logs that it runs, and never ends. */
const HOLD = `
import sys, time
print("here", file=sys.stderr, flush=True)
while True:
    time.sleep(60)
`;
import { eventually } from './support/eventually.js';

const toolFile = (name: string, script: string, over: object = {}) => ({
  toolId: `studio:${name}`,
  description: 'A script',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: script },
  parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  ...over,
});

const WORKFLOW = {
  nodes: [
    {
      id: 'call',
      type: 'core:tool',
      inputValues: { arguments: { n: 7 } },
      configValues: { toolId: 'studio:render' },
    },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'call', sourceHandle: 'result', target: 'out', targetHandle: 'result' }],
  interfaceOutputs: { result: { dataFlowType: 'WILDCARD' } },
};

const LIBRARY = {
  'scripts/echo.py': ECHO,
  'scripts/hold.py': HOLD,
  'tools/plain.tool.json': toolFile('plain', 'echo.py'),
  'tools/render.tool.json': toolFile('render', 'echo.py', { runner: 'gpu' }),
  'tools/hold-plain.tool.json': toolFile('hold-plain', 'hold.py'),
  'tools/hold-gpu.tool.json': toolFile('hold-gpu', 'hold.py', { runner: 'gpu' }),
  'workflows/render.json': WORKFLOW,
};

const PLAIN = { toolId: 'studio:plain', arguments: { n: 1 } };
const RENDER = { toolId: 'studio:render', arguments: { n: 2 } };
const HOLD_GPU = { toolId: 'studio:hold-gpu', arguments: {} };
const NOBODY = "a script-runner that offers 'gpu': none is alive";

/** The output of `./errand doctor` while the API listens at `url`. */
async function askDoctor(url: string): Promise<string> {
  const env = { PATH: process.env['PATH'], ERRAND_PORT: new URL(url).port };
  const run = promisify(execFile)(process.execPath, [join(__dirname, '../errand'), 'doctor'], { env });
  // The doctor fails if it finds other problems on this machine. The test reads its output in any case.
  const { stdout, stderr } = await run.catch((failed: { stdout: string; stderr: string }) => failed);
  return stdout + stderr;
}

describeWithDocker('Script-runners with labels', () => {
  const docker = new Docker();
  const stack = useStack(
    {
      with: ['worker'],
      library: LIBRARY,
      // Waiting for a runner occupies no slot of the worker. Without a pool, each container has the label of its
      // invocation.
      env: { ERRAND_WORKER_CONCURRENCY: '2', ERRAND_POOL_MIN: '0', ERRAND_POOL_MAX: '0' },
    },
    { each: true },
  );
  const { client } = stack;

  const startRunner = (labels: string, more: Record<string, string> = {}) =>
    stack.processes.start('script-runner', { ERRAND_RUNNER_LABELS: labels, ...more });

  /** The runner id from the log of its start. */
  const idOf = (runner: ChildProcess) => /"runnerId":"([^"]+)"/.exec(stack.processes.wordsOf(runner))![1]!;

  const containersOf = (id: string) =>
    docker.listContainers({ all: true, filters: { label: [`errand.invocation=${id}`] } });

  /** The ids of the runners whose containers run for the invocation. */
  const runnersOf = async (id: string) => (await containersOf(id)).map(({ Labels }) => Labels['errand.runner']);

  const untilToldWhy = (id: string): Promise<Invocation> =>
    eventually(async () => {
      const read = await client.read(id);
      // The script waits before its invocation is suspended for it.
      const isSuspended = read.steps.some(({ waiting, nodes = [] }) => waiting ?? nodes.some((node) => node.waiting));
      return read.queue?.waitingFor === NOBODY && isSuspended ? read : undefined;
    });

  async function hold(toolId: string): Promise<string> {
    const id = await client.submit({ toolId, arguments: {} });
    await client.untilTold(id, ({ event }) => event === 'log');
    return id;
  }

  it('A script whose label no runner offers waits, shows the reason, and starts when such a runner starts', async () => {
    await startRunner('default');
    const waiting = await Promise.all([
      client.submit(RENDER),
      client.submit({ calls: [PLAIN, RENDER, PLAIN] }),
      client.submit({ toolId: 'workflow:render', arguments: {} }),
      client.submit({ ...RENDER, arguments: { n: 4 } }),
    ]);
    const told = await Promise.all(waiting.map(untilToldWhy));
    expect(told[0]).toMatchObject({
      status: 'running',
      queue: { position: null, etaMs: null },
      steps: [{ status: 'running', waiting: { for: 'runner', label: 'gpu', until: null } }],
    });
    const rows = await client.get<{ items: InvocationRow[] }>(`/v1/invocations?view=row&ids=${waiting.join(',')}`);
    expect(rows.body.items.map(({ waitingFor }) => waitingFor)).toEqual(waiting.map(() => NOBODY));
    // Other jobs continue: single scripts on the runner, and chains on the worker, whose two slots are free.
    expect(await client.invoke(PLAIN)).toMatchObject({ status: 'succeeded', result: { n: 1 } });
    expect(await client.invoke({ calls: [PLAIN, PLAIN] })).toMatchObject({ status: 'succeeded' });
    const ready = await client.get<{ runners: object }>('/readyz');
    expect(ready.body.runners).toEqual({ default: 1, gpu: 0 });
    const figures = await (await fetch(`${stack.url}/metrics`)).text();
    expect(figures).toContain('errand_queue_jobs{queue="scripts.gpu",state="waiting"} 4');
    expect(figures).toContain('errand_queue_consumers{queue="scripts.gpu"} 0');
    const shown = await client.get<{ queues: { name: string }[] }>('/admin/queues/api/queues');
    // With several shards, the name of the shard comes first.
    const names = new Set(shown.body.queues.map(({ name }) => name.slice(name.indexOf(' ') + 1)));
    expect([...names].toSorted()).toEqual(['deliveries', 'invocations', 'scripts', 'scripts.gpu']);
    expect(await askDoctor(stack.url)).toMatch(
      /! runners +no running script-runner offers gpu: .*\(running: default 1, gpu 0\)/,
    );

    await startRunner('gpu');
    const ended = await Promise.all(waiting.map((id) => client.untilEnded(id)));
    expect(ended.map(({ status, result }) => [status, result])).toEqual([
      ['succeeded', { n: 2 }],
      ['succeeded', [{ n: 1 }, { n: 2 }, { n: 1 }]],
      ['succeeded', { n: 7 }],
      ['succeeded', { n: 4 }],
    ]);
    // Waiting for a runner does not count as an attempt.
    expect(ended.flatMap(({ steps }) => steps.map(({ attempts }) => attempts))).toEqual([1, 1, 1, 1, 1, 1]);
    expect(ended.some(({ steps }) => steps.some((step) => step.waiting))).toBe(false);
  });

  it('A runner runs only scripts of its labels, and takes over those of a dead runner with the same label', async () => {
    const [plain, gpu] = await Promise.all([startRunner('default'), startRunner('gpu')]);
    const [onPlain, onGpu] = await Promise.all([hold('studio:hold-plain'), hold('studio:hold-gpu')]);
    expect(await runnersOf(onPlain)).toEqual([idOf(plain)]);
    expect(await runnersOf(onGpu)).toEqual([idOf(gpu)]);

    await stack.processes.end(gpu);
    await eventually(async () => ((await containersOf(onGpu)).length === 0 ? true : undefined));
    expect(await client.invoke(PLAIN)).toMatchObject({ status: 'succeeded' });
    const other = await startRunner('default,gpu');
    await eventually(async () => ((await runnersOf(onGpu))[0] === idOf(other) ? true : undefined));
    for (const id of [onGpu, onPlain]) {
      expect((await client.cancel(id)).status).toBe(202);
      expect(await client.untilEnded(id)).toMatchObject({ status: 'cancelled', error: { type: 'CancelledError' } });
      expect(await containersOf(id)).toEqual([]);
    }
  });

  it('A script that waits for a runner ends when its invocation is cancelled or exceeds its time limit', async () => {
    const cancelled = await client.submit(HOLD_GPU);
    const late = await client.submit({ ...HOLD_GPU, options: { timeoutMs: 5_000 } });
    await untilToldWhy(cancelled);
    expect((await client.cancel(cancelled)).status).toBe(202);
    expect(await client.untilEnded(cancelled)).toMatchObject({ status: 'cancelled' });
    expect(await client.untilEnded(late)).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
    await startRunner('gpu');
    expect(await client.invoke(RENDER)).toMatchObject({ status: 'succeeded' });
    // The ended scripts did not run when the runner started.
    const logs = await Promise.all(
      [cancelled, late].map((id) => client.get<{ items: unknown[] }>(`/v1/invocations/${id}/logs`)),
    );
    expect(logs.map(({ body }) => body.items)).toEqual([[], []]);
  });

  it('A runner with two labels respects its concurrency limit and finishes its script after SIGTERM', async () => {
    const port = await freePort();
    const health = { ERRAND_HEALTH_PORT: String(port), ERRAND_RUNNER_CONCURRENCY: '1' };
    const runner = await startRunner('default,gpu', health);
    const onGpu = await hold('studio:hold-gpu');
    const behind = await client.submit(PLAIN);
    const state = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
    expect(state).toMatchObject({
      ready: true,
      offers: ['default', 'gpu'],
      load: { capacity: 1, inHand: 1, waiting: 0 },
    });
    const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(figures).toContain('errand_jobs_in_hand{queue="scripts.gpu"} 1');
    expect(figures).toContain('errand_jobs_in_hand{queue="scripts"} 0');
    expect((await client.read(behind)).status).toBe('queued');
    const ending = stack.processes.end(runner, 'SIGTERM');
    await client.cancel(onGpu);
    expect((await client.untilEnded(onGpu)).status).toBe('cancelled');
    expect(await ending).toBe(0);
    expect((await client.read(behind)).status).toBe('queued');
    await startRunner('default');
    expect(await client.untilEnded(behind)).toMatchObject({ status: 'succeeded' });
  });

  it('The API shows the label of a tool, and a runner refuses an invalid label', async () => {
    expect((await client.get<Tool>('/v1/tools/studio%3Arender')).body.runner).toBe('gpu');
    expect((await client.get<Tool>('/v1/tools/studio%3Aplain')).body).not.toHaveProperty('runner');
    await expect(startRunner('default,GPU')).rejects.toThrow(
      /ERRAND_RUNNER_LABELS=\\?"default,GPU\\?": 'GPU' is no label: .*did you mean 'gpu'/,
    );
  });
});
