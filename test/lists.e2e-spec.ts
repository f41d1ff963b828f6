import type { Invocation } from '@errand/contracts';
import { Redis } from 'ioredis';
import { Client, type Problem } from './support/client.js';
import { useStack } from './support/start-stack.js';

interface Page {
  items: Invocation[];
  nextCursor: string | null;
}
interface Part {
  text: string;
  offset: number;
  total: number;
  nextOffset: number | null;
}
interface Matches {
  matches: { offset: number; excerpt: string }[];
  total: number;
  nextOffset: number | null;
}

const stack = useStack({}, { each: true });
const { client } = stack;

const echo = (value: unknown, more: object = {}) => ({ toolId: 'core:echo', arguments: { value }, ...more });

describe('GET /v1/invocations', () => {
  it('The list of invocations is filtered by its query and split into pages', async () => {
    await stack.start('worker');
    const ids: string[] = [];
    for (const n of [0, 1, 2, 3, 4]) {
      const session = n % 2 === 0 ? 'even' : 'odd';
      ids.push((await client.invoke(echo(n, { session, metadata: { n } }))).id);
    }
    const failed = await client.invoke({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    ids.push(failed.id);
    const list = async (query: string) => (await client.get<Page>(`/v1/invocations?${query}`)).body;
    const all = await list('');
    expect(all.items.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(all.nextCursor).toBeNull();
    expect(all.items[1]).toMatchObject({ status: 'succeeded', result: 4, session: 'even' });
    expect((await list('status=failed')).items).toEqual([all.items[0]]);
    expect((await list('metadata.n=3&toolId=core:echo')).items.map(({ id }) => id)).toEqual([ids[3]]);
    const first = await list('session=even&limit=2');
    expect(first.items.map(({ id }) => id)).toEqual([ids[4], ids[2]]);
    const second = await list(`session=even&limit=2&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ items: [{ id: ids[0] }], nextCursor: null });
    const foreign = await client.get<Problem>(`/v1/invocations?session=odd&cursor=${first.nextCursor}`);
    expect(foreign).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await client.get<Problem>('/v1/invocations?tool=core:echo')).body.detail).toMatch(/did you mean 'toolId'/);
  });
});

describe('A large result', () => {
  it('A large result is shown by its beginning, read in parts and searched', async () => {
    await stack.start('worker');
    const rows = Array.from({ length: 8_000 }, (_, n) => ({ n, word: n === 7_777 ? 'Needle' : 'hay' }));
    const { id, result, steps, resultTruncated, observation } = await client.invoke(echo(rows));
    const text = JSON.stringify(rows);
    expect(text.startsWith(result as string)).toBe(true);
    expect(steps[0]!.resultTruncated).toEqual({ total: text.length });
    expect(resultTruncated).toBe(true);
    expect(observation).toMatch(
      /cut at [\d,]+ of [\d,]+ characters; read more: tool core:read-result, invocation inv_\w+, offset \d+\]/,
    );
    const path = `/v1/invocations/${id}/result`;
    const part = (await client.get<Part>(`${path}?offset=100000&limit=50`)).body;
    expect(part).toEqual({
      text: text.slice(100_000, 100_050),
      offset: 100_000,
      total: text.length,
      nextOffset: 100_050,
    });
    expect((await client.get<Part>(`${path}?path=/7777/word`)).body.text).toBe('Needle');
    const { matches } = (await client.get<Matches>(`${path}?q=needle`)).body;
    expect(matches).toEqual([{ offset: text.indexOf('Needle'), excerpt: expect.stringContaining('"word":"Needle"') }]);
    expect((await client.get<Problem>(`${path}?search=x`)).status).toBe(400);
    // Another invocation gets the whole result.
    const sum = await client.invoke(echo(`{{job:${id}.7777.word}}`));
    expect(sum.result).toBe('Needle');
  });
});

describe('The queue of invocations', () => {
  it('A queued invocation shows its position and what it waits for', async () => {
    const { body } = await client.post('/v1/invocations', echo(1));
    const { body: second } = await client.post('/v1/invocations', echo(2));
    expect((await client.read(body.id)).queue).toEqual({
      position: 1,
      ahead: 0,
      waitingFor: 'a worker: none is alive',
      etaMs: null,
    });
    expect((await client.read(second.id)).queue).toMatchObject({ position: 2 });
    await stack.start('worker');
    expect(await client.untilEnded(second.id)).not.toHaveProperty('queue');
  });

  it('A full queue refuses submissions with 429 and Retry-After, and keeps its jobs', async () => {
    const small = new Client(await stack.startApi({ ERRAND_QUEUE_BOUND: '10' }));
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => small.post('/v1/invocations', echo(n))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    expect(refused).toHaveLength(20);
    expect(refused[0]!.body.code).toBe('queue_full');
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await small.get<Page>('/v1/invocations?limit=100')).body.items).toHaveLength(10);
    await stack.start('worker');
    for (const { body, status } of answers) if (status === 202) await small.untilEnded(body.id);
    expect((await small.post('/v1/invocations', echo('again'))).status).toBe(202);
  });

  it('A submission that Redis cannot store gets 503 and leaves nothing in Redis', async () => {
    await client.post('/v1/invocations', echo(0));
    const admin = new Redis(stack.redis.url);
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    await admin.config('SET', 'maxmemory', '1');
    const before = await admin.dbsize();
    const { status, body, headers } = await client.post<Problem>('/v1/invocations', echo(1));
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await admin.dbsize()).toBeLessThanOrEqual(before);
    await admin.config('SET', 'maxmemory', '0');
    expect((await client.post('/v1/invocations', echo(2))).status).toBe(202);
    expect((await client.get<Page>('/v1/invocations')).body.items).toHaveLength(2);
    await admin.config('SET', 'min-replicas-to-write', '1');
    expect((await client.post<Problem>('/v1/invocations', echo(1))).body.code).toBe('unavailable');
    admin.disconnect();
  });
});
