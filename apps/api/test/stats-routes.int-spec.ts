import type { SearchResults, Stats, ToolStats } from '@errand/contracts';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import type { Problem } from '../../../test/support/client.js';

const { client } = useStack({ with: ['worker'], examples: true });
const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };

async function totalOf(metric: string, more = ''): Promise<number> {
  const { body } = await client.get<Stats>(`/v1/stats?metric=${metric}${more}`);
  return body.series.flatMap(({ points }) => points).reduce((sum, [, value]) => sum + value, 0);
}

describe('GET /v1/stats', () => {
  it('The counts of an hour are those of the submissions', async () => {
    await client.invoke(ECHO);
    await client.invoke({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    const refused = await client.post('/v1/invocations', { toolId: 'core:math', arguments: { op: 'add' } });
    expect(refused.status).toBe(422);
    await client.post('/v1/invocations', { text: '<ACTION><core:ecko/></ACTION>' });
    expect([await totalOf('accepted'), await totalOf('ended'), await totalOf('failed')]).toEqual([2, 2, 1]);
    await eventually(async () => (await totalOf('refused')) === 2, 'both refusals are counted');
    const { body } = await client.get<Stats>('/v1/stats?metric=refused&by=errorType');
    const codes = new Set(body.series.map(({ labels }) => labels.errorType));
    expect(codes).toEqual(new Set(['invalid_parameters', 'unknown_tool']));
  });

  it('The points are in order, at most 1,000, and a step apart', async () => {
    const from = Date.now() - 86_400_000;
    const { body } = await client.get<Stats>(`/v1/stats?metric=accepted&from=${from}&stepMs=1000`);
    const points = body.series[0]?.points ?? [];
    expect(points.length).toBeLessThanOrEqual(1_000);
    expect(points.every(([at], n) => n === 0 || at - (points[n - 1]?.[0] ?? 0) === body.stepMs)).toBe(true);
    const iso = `from=${new Date(from).toISOString()}&to=${new Date().toISOString()}`;
    expect((await client.get<Stats>(`/v1/stats?metric=runP50Ms&by=tool&${iso}`)).status).toBe(200);
  });

  it.each([
    ['', 'metric'],
    ['metric=accepts', 'metric'],
    ['metric=accepted&by=tools', 'by'],
    ['metric=accepted&from=yesterday', 'from'],
    ['metric=accepted&from=2026-02-02&to=2026-02-01', 'from'],
    ['metric=accepted&stepMs=0', 'stepMs'],
    ['metric=accepted&stepMs=-1', 'stepMs'],
    ['metric=accepted&until=1', 'until'],
  ])('The query %p is refused with the name of its fault', async (query, name) => {
    const { status, body } = await client.get<Problem>(`/v1/stats?${query}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(`${body.detail} ${JSON.stringify(body.errors ?? [])}`).toContain(name);
  });
});

describe('GET /v1/tools/:id/stats', () => {
  it('The statistics of a tool name the wrong parameters of refused calls', async () => {
    await client.post('/v1/invocations', { toolId: 'core:math', arguments: { op: 'add', a: 'x', b: 2 } });
    const read = async () => (await client.get<ToolStats>('/v1/tools/core:math/stats')).body;
    await eventually(async () => (await read()).refusals.some(({ parameter }) => parameter === 'a'), 'it is counted');
    expect((await client.get('/v1/tools/core:maths/stats')).status).toBe(404);
  });

  it('Details of a tool have what its file declares, and a list of details has the use of each tool', async () => {
    await client.invoke(ECHO);
    const plain = (await client.get('/v1/tools/core:echo')).body;
    const { body } = await client.get('/v1/tools/core:echo?details=true');
    const added = Object.keys(body).filter((name) => !(name in plain));
    expect(added.toSorted()).toEqual(['digest', 'effects', 'limits', 'retry', 'reuse', 'runner', 'securityContext']);
    expect(body).toMatchObject({ effects: 'none', digest: expect.any(String) });
    const list = (await client.get<{ items: { toolId: string; stats: ToolStats }[] }>('/v1/tools?details=true')).body;
    const used = list.items.find(({ toolId }) => toolId === 'core:echo')?.stats;
    expect(used?.calls).toBeGreaterThanOrEqual(1);
    expect((await client.get('/v1/tools/core:echo?details=yes')).status).toBe(400);
  });
});

describe('GET /v1/search', () => {
  const search = async (q: string) =>
    (await client.get<SearchResults>(`/v1/search?q=${encodeURIComponent(q)}`)).body.items;

  it('Invocations are found by the beginning of the id, and everything else by name', async () => {
    const { id } = await client.invoke({ ...ECHO, session: 'the-long-session', agent: 'demo' });
    expect(await search(id)).toEqual([{ kind: 'invocation', id, label: 'core:echo · succeeded' }]);
    expect((await search(id.slice(0, 20))).map(({ kind }) => kind)).toContain('invocation');
    expect(await search('core:echo')).toContainEqual(expect.objectContaining({ kind: 'tool', id: 'core:echo' }));
    expect(await search('the-long')).toContainEqual(
      expect.objectContaining({ kind: 'session', id: 'the-long-session' }),
    );
    expect(await search('dem')).toContainEqual({ kind: 'agent', id: 'demo', label: 'demo' });
    expect(await search('script')).toContainEqual({ kind: 'queue', id: 'scripts', label: 'scripts' });
  });

  it('Refusals are found by the beginning of the id', async () => {
    await client.post('/v1/invocations', { toolId: 'core:math', arguments: { op: 'add', a: 'x', b: 2 } });
    const refusal = await eventually(async () => {
      const found = await search('ref_');
      return found.find(({ kind, label }) => kind === 'refusal' && label.includes('core:math'));
    }, 'the refusal is kept');
    expect(await search(refusal.id)).toEqual([refusal]);
  });

  it('A session and an agent that have only refusals are found', async () => {
    const wrong = { toolId: 'core:math', arguments: { op: 'ad' } };
    await client.post('/v1/invocations', { ...wrong, session: 'never "right"', agent: 'demo' });
    const session = { kind: 'session', id: 'never "right"', label: 'never "right"' };
    await eventually(async () => (await search('never "right"')).some(({ id }) => id === session.id), 'it is kept');
    expect(await search('never')).toEqual([session]);
    // Behind more refusals than one read of the newest ones has, only its whole name finds it.
    await Promise.all(
      Array.from({ length: 150 }, () => client.post('/v1/invocations', { ...wrong, session: 'later' })),
    );
    await eventually(async () => (await search('never')).length === 0, 'the later refusals are kept');
    expect(await search('never "right"')).toEqual([session]);
  });

  it('A search has 20 results at most, and none for what is nowhere', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => client.submit({ ...ECHO, session: `inv_${n}` })));
    expect((await search('inv_')).length).toBeLessThanOrEqual(20);
    expect(await search('nothing at all')).toEqual([]);
    for (const q of ['*', '[', '\\', '__proto__', '\u0000', 'inv_*', 'x'.repeat(256)])
      expect(Array.isArray(await search(q))).toBe(true);
    expect((await client.get('/v1/search?q=')).status).toBe(400);
    expect((await client.get(`/v1/search?q=${'x'.repeat(257)}`)).status).toBe(400);
  });
});
