import type { Invocation } from '@errand/contracts';
import type { Problem } from './support/client.js';
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
