import { newInvocationId, type LogPage, type Timeline } from '@errand/contracts';
import { EventWriter, submitInvocation, type Queues } from '@errand/queue';
import type { Problem } from '../../../test/support/client.js';
import { useStack } from '../../../test/support/start-stack.js';

const stack = useStack({
  env: { ERRAND_API_KEYS: 'operator-key-of-tests acme:acme-key-of-tests other:other-key-of-tests' },
});
let queues: Queues;
beforeAll(async () => {
  queues = await stack.openQueues();
});

const CALL = { toolId: 'test:tool', version: '1.0.0', digest: 'd', kind: 'node', arguments: {} } as const;
const LINES = ['plain', 'Ünïcode \u001b[31mred\u001b[0m', '<img src=x>', '', 'last'];

async function invocationWithLog(lines: readonly string[]): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(queues, 'invocations', id, { tenant: 'acme', mode: 'sequence', calls: [CALL, CALL] });
  const events = new EventWriter(queues, id, (error) => {
    throw error;
  });
  for (const [n, line] of lines.entries()) events.emit({ event: 'log', line, stream: 'stderr', step: n % 2 });
  await events.flush();
  return id;
}

const get = (path: string, key = 'acme-key-of-tests') =>
  fetch(`${stack.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
const pageOf = async (path: string) => (await (await get(path)).json()) as LogPage;

describe('GET /v1/invocations/:id/logs', () => {
  it('Each line has its number, and a page names the next one', async () => {
    const path = `/v1/invocations/${await invocationWithLog(LINES)}/logs`;
    const all = await pageOf(path);
    expect(all).toMatchObject({ total: 5, firstKept: 1, nextCursor: null });
    expect(all.items.map(({ n, step, stream, line }) => [n, step, stream, line])).toEqual(
      LINES.map((line, index) => [index + 1, index % 2, 'stderr', line]),
    );
    const first = await pageOf(`${path}?limit=2`);
    expect(first.items).toEqual(all.items.slice(0, 2));
    expect(await pageOf(`${path}?limit=3&after=${first.nextCursor}`)).toEqual({ ...all, items: all.items.slice(2) });
    expect((await pageOf(`${path}?q=L&step=0`)).items.map(({ n }) => n)).toEqual([1, 5]);
    expect(await pageOf(`${path}?after=5`)).toMatchObject({ items: [], total: 5, nextCursor: null });
  });

  it('The file has the true text of all lines that fit, and a browser must save it', async () => {
    const id = await invocationWithLog(LINES);
    const response = await get(`/v1/invocations/${id}/logs?format=text`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="${id}.log"`,
      'x-content-type-options': 'nosniff',
    });
    expect(await response.text()).toBe(`${LINES.join('\n')}\n`);
    const part = await get(`/v1/invocations/${id}/logs?format=text&q=la`);
    expect(await part.text()).toBe('plain\nlast\n');
  });

  it.each([
    ['after=-1', 'after must be a whole number'],
    ['after=1e3', 'after must be a whole number'],
    ['limit=0', 'limit must be at least 1'],
    ['limit=x', 'limit must be a whole number'],
    ['step=one', 'step must be a whole number'],
    ['q=', 'q'],
    [`q=${'x'.repeat(300)}`, 'q'],
    ['format=html', 'format'],
    ['from=3', 'from'],
  ])('The query %s is refused, and the message names the parameter', async (query, message) => {
    const id = await invocationWithLog([]);
    const response = await get(`/v1/invocations/${id}/logs?${query}`);
    const { code, detail } = (await response.json()) as Problem;
    expect([response.status, code]).toEqual([400, 'invalid_request']);
    expect(detail).toContain(message);
  });

  it('The log of another tenant is not found, and the operator reads it', async () => {
    const path = `/v1/invocations/${await invocationWithLog(['secret'])}/logs`;
    for (const query of ['', '?format=text']) expect((await get(path + query, 'other-key-of-tests')).status).toBe(404);
    expect((await get(path, 'operator-key-of-tests')).status).toBe(200);
  });
});

describe('GET /v1/invocations/:id/timeline', () => {
  it('The changes of steps and nodes come in order and without other events, and missing events are counted', async () => {
    const id = await invocationWithLog(LINES);
    const events = new EventWriter(queues, id, (error) => {
      throw error;
    });
    const changes = [
      { index: 0, status: 'running' },
      { index: 0, nodeId: 'a', status: 'running', attempt: 2 },
      { index: 0, nodeId: 'a', status: 'waiting_external', waiting: 'answer' },
    ] as const;
    for (const change of changes) {
      events.emit({ event: 'step', ...change });
      events.emit({ event: 'output', step: 0, chunk: 'x'.repeat(10_000) });
    }
    await events.flush();
    const response = await get(`/v1/invocations/${id}/timeline`);
    expect(await response.json()).toEqual({
      items: changes.map((change) => ({ at: expect.stringMatching(/^\d{4}-/), ...change })),
      missing: 0,
    });
    await queues.redis.xtrim(`{errand}:events:${id}`, 'MAXLEN', 2);
    const { items, missing } = (await (await get(`/v1/invocations/${id}/timeline`)).json()) as Timeline;
    expect([items.length, missing]).toEqual([1, 9]);
    expect((await get(`/v1/invocations/${id}/timeline`, 'other-key-of-tests')).status).toBe(404);
  });
});
