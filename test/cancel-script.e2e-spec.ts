import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { startApi } from '../apps/api/src/start.js';
import { startScriptRunner } from '../apps/script-runner/src/start.js';
import { Client } from './support/http.js';
import { Processes } from './support/start-process.js';
import { startRedis, type TestRedis } from './support/start-redis.js';

const noDocker = process.env['ERRAND_TEST_NO_DOCKER'] === 'true';
if (noDocker) console.warn('Skipped: the cancelling of scripts, for there is no Docker engine here');
const withDocker = noDocker ? describe.skip : describe;

/** Says that it runs, and never ends. */
const SCRIPT = `
import sys, time
print("here", file=sys.stderr, flush=True)
while True:
    time.sleep(60)
`;
const SLEEP = { toolId: 'core:execute-python-script', arguments: { scriptPath: 'sleep.py' } };
const WORKFLOW = {
  nodes: [
    {
      id: 'call',
      type: 'core:tool',
      inputValues: { arguments: SLEEP.arguments },
      configValues: { toolId: SLEEP.toolId },
    },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'call', sourceHandle: 'result', target: 'out', targetHandle: 'result' }],
  interfaceOutputs: { result: { dataFlowType: 'WILDCARD' } },
};

withDocker('a script that runs', () => {
  const docker = new Docker();
  let redis: TestRedis;
  let library: string;
  let api: Awaited<ReturnType<typeof startApi>>;
  let runner: Awaited<ReturnType<typeof startScriptRunner>>;
  let processes: Processes;
  let client: Client;

  beforeAll(async () => {
    library = await mkdtemp(join(tmpdir(), 'errand-cancel-'));
    await mkdir(join(library, 'scripts'));
    await mkdir(join(library, 'workflows'));
    await writeFile(join(library, 'scripts/sleep.py'), SCRIPT);
    await writeFile(join(library, 'workflows/sleep.json'), JSON.stringify(WORKFLOW));
    redis = await startRedis();
    const env = { ERRAND_REDIS_URL: redis.url, ERRAND_LIBRARY: library };
    processes = new Processes(env);
    const quiet = { ERRAND_LOG_LEVEL: 'fatal' };
    api = await startApi({ ...env, ...quiet, ERRAND_PORT: '0' });
    runner = await startScriptRunner({
      ERRAND_REDIS_URL: redis.url,
      ...quiet,
      // One that waits in the pool is nobody's: only one that is made for a run says whose it is.
      ERRAND_POOL_MIN: '0',
      ERRAND_POOL_MAX: '0',
      ...(process.env['DOCKER_HOST'] && { DOCKER_HOST: process.env['DOCKER_HOST'] }),
    });
    client = new Client(api.url);
  });
  afterEach(() => processes.endAll());
  afterAll(async () => {
    await api.close();
    await runner.close();
    await redis.stop();
    await rm(library, { recursive: true });
  });

  const containersOf = (id: string) =>
    docker.listContainers({ all: true, filters: { label: [`errand.invocation=${id}`] } });

  /** Resolves when the script has said that it runs. */
  async function untilHere(id: string): Promise<void> {
    const response = await fetch(`${api.url}/v1/invocations/${id}/events`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let said = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      said += part.value;
      if (!said.includes('event: log')) continue;
      await reader.cancel();
      return;
    }
    throw new Error(`it ended before it ran: ${said}`);
  }

  async function start(body: object): Promise<string> {
    const { id } = (await client.post('/v1/invocations', body)).body;
    await untilHere(id);
    expect(await containersOf(id)).toHaveLength(1);
    return id;
  }

  const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
  it.each([
    ['as the whole invocation', SLEEP],
    ['as one of several calls', { calls: [ECHO, SLEEP, ECHO] }],
    ['for a node of a workflow', { toolId: 'workflow:sleep', arguments: {} }],
  ])('%s is gone when the state says that it was cancelled', async (_how, body) => {
    await processes.start('worker');
    const id = await start(body);
    expect((await client.post(`/v1/invocations/${id}/cancel`, {})).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'cancelled', error: { type: 'CancelledError' } });
    expect(await containersOf(id)).toEqual([]);
  });

  it('is gone when the time of its invocation is over', async () => {
    await processes.start('worker');
    const id = await start({ calls: [ECHO, SLEEP], options: { timeoutMs: 10_000 } });
    expect(await client.untilEnded(id)).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
    expect(await containersOf(id)).toEqual([]);
  });

  it('is stopped though the worker that waits for it is dead', async () => {
    const doomed = await processes.start('worker');
    const id = await start({ toolId: 'workflow:sleep', arguments: {} });
    await processes.end(doomed);
    await client.post(`/v1/invocations/${id}/cancel`, {});
    // Nobody tells when a container is gone.
    while ((await containersOf(id)).length > 0) await new Promise(setImmediate);
    expect((await client.get(`/v1/invocations/${id}`)).body['status']).not.toBe('cancelled');
    await processes.start('worker');
    expect((await client.untilEnded(id)).status).toBe('cancelled');
  });
});
