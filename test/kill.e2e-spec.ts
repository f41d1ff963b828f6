import Docker from 'dockerode';
import { startApi } from '../apps/api/src/start.js';
import { Client, readEventStream } from './support/http.js';
import { Processes } from './support/start-process.js';
import { startRedis, type TestRedis } from './support/start-redis.js';

/** Real processes, killed mid-run. */
const noDocker = process.env['ERRAND_TEST_NO_DOCKER'] === 'true';
if (noDocker) console.warn('Skipped: the kills of a script-runner, for there is no Docker engine here');
const withDocker = noDocker ? describe.skip : describe;

let redis: TestRedis;
let api: Awaited<ReturnType<typeof startApi>>;
let client: Client;
let processes: Processes;

beforeAll(async () => {
  redis = await startRedis();
  processes = new Processes({ ERRAND_REDIS_URL: redis.url });
  api = await startApi({ ERRAND_REDIS_URL: redis.url, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'fatal' });
  client = new Client(api.url);
});
afterEach(() => processes.endAll());
afterAll(async () => {
  await api.close();
  await redis.stop();
});

/** Resolves when the invocation has told of something that matches. */
async function untilTold(id: string, wanted: (event: string, data: string) => boolean): Promise<void> {
  const response = await fetch(`${api.url}/v1/invocations/${id}/events`);
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (const [, event, data] of text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)) if (wanted(event!, data!)) return;
  }
  throw new Error(`the stream of ${id} ended without it: ${text}`);
}

describe('a worker killed mid-run', () => {
  it('is replaced by another, which goes on after the last finished step', async () => {
    const doomed = await processes.start('worker');
    const calls = [
      { toolId: 'core:random', arguments: {} },
      { toolId: 'core:delay', arguments: { ms: 1_500, value: 'late' } },
    ];
    const { body } = await client.post('/v1/invocations', { calls });
    await untilTold(
      body.id,
      (event, data) => event === 'step' && data.includes('"index":1') && data.includes('running'),
    );
    const before = (await client.get<{ steps: { result: unknown }[] }>(`/v1/invocations/${body.id}`)).body.steps[0]!
      .result;
    await processes.end(doomed);
    await processes.start('worker');
    const ended = await client.untilEnded(body.id);
    expect(ended).toMatchObject({ status: 'succeeded', result: [before, 'late'] });
    expect(ended.steps.map((step) => step.attempts)).toEqual([1, 2]);
    const ends = (await readEventStream(`${api.url}/v1/invocations/${body.id}/events`)).filter(
      ({ event }) => event === 'end',
    );
    expect(ends).toHaveLength(1);
  });

  it('on SIGTERM finishes what it has in hand and exits 0', async () => {
    const worker = await processes.start('worker');
    const { body } = await client.post('/v1/invocations', { toolId: 'core:delay', arguments: { ms: 800, value: 1 } });
    await untilTold(body.id, (event, data) => event === 'status' && data.includes('running'));
    expect(await processes.end(worker, 'SIGTERM')).toBe(0);
    expect((await client.untilEnded(body.id)).steps[0]).toMatchObject({ status: 'succeeded', attempts: 1 });
  });
});

withDocker('a script-runner killed mid-run', () => {
  const docker = new Docker();
  const containersOf = (id: string) =>
    docker.listContainers({ all: true, filters: { label: [`errand.invocation=${id}`] } });

  /** Asks again and again, for nobody tells when a container is gone. */
  async function untilNoContainer(id: string): Promise<void> {
    while ((await containersOf(id)).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  it('leaves no container behind, even if no other runner ever comes', async () => {
    const doomed = await processes.start('script-runner');
    const { body } = await client.post('/v1/invocations', {
      toolId: 'text:analyze',
      arguments: { text: 'to be or not to be' },
    });
    await untilTold(body.id, (event) => event === 'log');
    expect(await containersOf(body.id)).toHaveLength(1);
    await processes.end(doomed);
    await untilNoContainer(body.id);
    await processes.start('script-runner');
    const ended = await client.untilEnded(body.id);
    expect(ended).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
    await untilNoContainer(body.id);
  });
});
