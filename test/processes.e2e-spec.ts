import type { ProcessList, ShownProcess, ShownQueue } from '@errand/contracts';
import { eventually } from './support/eventually.js';
import { useStack } from './support/start-stack.js';

const SHARDS = 8;
/** Longer than a test. The test cancels such a job. */
const LONG_MS = 600_000;
const DELAY = (ms: number) => ({ toolId: 'core:delay', arguments: { ms, value: ms } });
const KEYS = { operator: 'key-of-the-operator', acme: 'key-of-acme-of-some-length' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const [OPERATOR, ACME] = [as(KEYS.operator), as(KEYS.acme)];

const stack = useStack(
  {
    env: {
      ERRAND_SHARDS: String(SHARDS),
      ERRAND_WORKER_CONCURRENCY: '4',
      ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme}`,
    },
  },
  { keepsProcesses: true },
);
const { client } = stack;

const processes = async (headers: Record<string, string> = OPERATOR) =>
  (await client.get<ProcessList>('/v1/processes', headers)).body.items;
const queue = async () => (await client.get<ShownQueue>('/v1/queues/invocations', OPERATOR)).body;
const living = async () => (await processes()).filter(({ kind, state }) => kind === 'worker' && state === 'ready');
const found = async (id: string) => (await client.get<ShownProcess>(`/v1/processes/${id}`, OPERATOR)).body;
/** The living workers, once there are so many. */
const workers = (count: number) => eventually(async () => (await living()).length === count && living());
const holderOf = async (id: string) =>
  (await living()).find(({ inHand }) => inHand.some(({ invocationId }) => invocationId === id));

async function submit(count: number, ms: number, headers = ACME): Promise<string[]> {
  const items = Array.from({ length: count }, () => DELAY(ms));
  const { status, body } = await client.post<{ items: { id: string }[] }>('/v1/invocations/batch', { items }, headers);
  expect(status).toBe(200);
  return body.items.map(({ id }) => id);
}

const cancel = (id: string) => client.post(`/v1/invocations/${id}/cancel`, '', ACME);

async function untilSucceeded(ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await eventually(async () => {
      const { body } = await client.get<{ status: string }>(`/v1/invocations/${id}?wait=60`, ACME);
      return body.status === 'succeeded';
    }, `${id} has succeeded`);
}

describe('The processes of Errand', () => {
  it('A worker is listed with the job that it runs, and a tenant sees only its own jobs', async () => {
    await stack.processes.haveRunning('worker', 1);
    const [id = ''] = await submit(1, LONG_MS);
    const holder = await eventually(() => holderOf(id));
    expect(holder).toMatchObject({
      kind: 'worker',
      state: 'ready',
      queues: ['invocations', 'deliveries'],
      slots: 4,
      inHand: [{ invocationId: id, step: 0, toolId: 'core:delay' }],
    });
    expect(holder.host).not.toBeNull();
    const own = (await processes(ACME)).find((one) => one.id === holder.id);
    expect(own).toMatchObject({ host: null, inHand: [{ invocationId: id }] });
    const asOther = await processes({ ...OPERATOR, 'x-errand-tenant': 'corp' });
    expect(asOther.find((one) => one.id === holder.id)?.inHand).toEqual([]);
    expect((await processes()).map(({ kind }) => kind)).toContain('api');
    await cancel(id);
    await eventually(async () => (await found(holder.id)).inHand.length === 0);
  });

  it('A killed worker is lost, and the list says which process has its job now', async () => {
    const children = await stack.processes.haveRunning('worker', 1);
    const [first] = await workers(1);
    const [id = ''] = await submit(1, LONG_MS);
    await eventually(() => holderOf(id));
    await stack.processes.end(children[0]!);
    await stack.processes.haveRunning('worker', 1);
    await eventually(async () => (await found(first!.id)).state === 'lost');
    // A quick look at the living ones before would still find the dead one. Its lock ends later.
    const holder = await eventually(() => holderOf(id));
    const lost = await eventually(async () => {
      const one = await found(first!.id);
      return one.left?.[0]?.process === holder.id && one;
    });
    expect(lost).toMatchObject({
      state: 'lost',
      inHand: [],
      left: [{ invocationId: id, step: 0, toolId: 'core:delay', now: 'taken-over' }],
    });
    await cancel(id);
    await eventually(async () => (await found(first!.id)).left?.[0]?.now === 'gone');
    expect((await client.post(`/v1/processes/${first!.id}/drain`, '', OPERATOR)).status).toBe(409);
  });

  it('A stopped process is lost until it goes on', async () => {
    const [child] = await stack.processes.haveRunning('worker', 1);
    const [worker] = await workers(1);
    child!.kill('SIGSTOP');
    await eventually(async () => (await found(worker!.id)).state === 'lost');
    child!.kill('SIGCONT');
    await eventually(async () => (await found(worker!.id)).state === 'ready');
  });

  it('A drained worker ends what it has and takes nothing new, and no job is lost', async () => {
    await stack.processes.haveRunning('worker', 2);
    const both = await workers(2);
    const ids = await submit(30, 200);
    const [drained] = both;
    const { status, body } = await client.post<ShownProcess>(`/v1/processes/${drained!.id}/drain`, '', OPERATOR);
    expect([status, body.state]).toEqual([202, 'draining']);
    await eventually(async () => (await found(drained!.id)).inHand.length === 0);
    const after = await submit(20, 10);
    await untilSucceeded([...ids, ...after]);
    expect(await found(drained!.id)).toMatchObject({ state: 'draining', inHand: [] });
  });

  it('A worker that is asked to drain begins nothing, also before its next heartbeat', async () => {
    await stack.processes.haveRunning('worker', 0);
    await stack.processes.haveRunning('worker', 2);
    const [drained, other] = await workers(2);
    await client.post(`/v1/processes/${drained!.id}/drain`, '', OPERATOR);
    const ids = await submit(8, LONG_MS);
    await eventually(async () => (await found(other!.id)).inHand.length === 4);
    expect((await found(drained!.id)).inHand).toEqual([]);
    for (const id of ids) await cancel(id);
    await eventually(async () => (await found(other!.id)).inHand.length === 0);
  });

  it('A process that ends by SIGTERM leaves the list', async () => {
    const [child] = await stack.processes.haveRunning('worker', 1);
    const before = (await processes()).length;
    await stack.processes.end(child!, 'SIGTERM');
    expect((await processes()).length).toBe(before - 1);
  });
});

describe('A pause under load with eight shards', () => {
  it('Nothing starts in a paused queue, also not in a process that begins later, until it is resumed', async () => {
    await stack.processes.haveRunning('worker', 1);
    const ids = await submit(40, 100);
    const pause = () => client.post<ShownQueue>('/v1/queues/invocations/pause', { note: 'load\ntest' }, OPERATOR);
    const { status, body } = await pause();
    expect([status, body.paused]).toEqual([200, { at: expect.any(String), by: expect.any(String), note: 'load test' }]);
    expect((await pause()).body.paused).toEqual(body.paused);
    await eventually(async () => (await queue()).active === 0);
    const { waiting } = await queue();
    const more = await submit(10, 10);
    await stack.processes.haveRunning('worker', 2);
    await eventually(async () => (await queue()).consumers >= 2);
    expect(await queue()).toMatchObject({ waiting: waiting + more.length, active: 0 });
    const { body: listed } = await client.get<{ items: { waitingFor: string }[] }>(
      `/v1/invocations?view=row&ids=${more[0]}`,
      ACME,
    );
    expect(listed.items[0]?.waitingFor).toMatch(/paused by .+: load test$/);
    const { body: said } = await client.get<{ queue: { waitingFor: string } }>(`/v1/invocations/${more[0]}`, ACME);
    for (const part of ['paused', body.paused?.by, body.paused?.at, 'load test'])
      expect(said.queue.waitingFor).toContain(part);
    const resumed = await client.post<ShownQueue>('/v1/queues/invocations/resume', '', OPERATOR);
    expect([resumed.status, resumed.body.paused]).toEqual([200, null]);
    await untilSucceeded([...ids, ...more]);
  });

  it('Only the operator pauses, resumes and drains', async () => {
    for (const path of ['queues/invocations/pause', 'queues/invocations/resume', 'processes/worker-0/drain']) {
      const { status, body } = await client.post<{ code: string; detail: string }>(`/v1/${path}`, '', ACME);
      expect([status, body.code, body.detail]).toEqual([403, 'forbidden', expect.stringContaining('admin')]);
    }
    expect((await queue()).paused).toBeNull();
    for (const path of ['queues/invocation/pause', 'queues/__proto__/pause', 'processes/%00/drain'])
      expect((await client.post(`/v1/${path}`, '', OPERATOR)).status).toBe(404);
    expect((await client.post('/v1/queues/scripts/pause', { note: 'x'.repeat(1_001) }, OPERATOR)).status).toBe(400);
    expect((await client.post('/v1/queues/scripts/pause', { why: 'x' }, OPERATOR)).status).toBe(400);
  });
});
