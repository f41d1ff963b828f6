import { useStack } from './support/start-stack.js';

const profile = (over: object) => ({
  tool_ids_inventory: ['core:echo', 'agent:*'],
  core_deliberation_workflow_id: 'core:deliberate',
  ...over,
});

const stack = useStack({
  library: {
    'agents/guide.json': profile({ id: 'guide', displayName: 'Guide', description: 'Knows places', protocol: 'tam' }),
    'agents/village/smith.json': profile({ id: 'village/smith', limits: { maxRounds: 2, maxTokens: 9 } }),
    'agents/elsewhere.json': { id: 'elsewhere', tool_ids_inventory: ['core:echo'] },
    'agents/broken.json': profile({ id: 'broken', core_deliberation_workflow_id: 'core:deliberat' }),
  },
});

const read = async (path: string) => {
  const response = await fetch(`${stack.url}/v1/agents${path}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('The routes of the agents', () => {
  it('The list has every agent by id, and says which ones run here', async () => {
    const { status, body } = await read('');
    expect(status).toBe(200);
    const items = body['items'] as Record<string, unknown>[];
    expect(items.map(({ id, runnable }) => [id, runnable])).toEqual([
      ['broken', false],
      ['elsewhere', false],
      ['guide', true],
      ['village/smith', true],
    ]);
    expect(items[2]).toEqual({
      id: 'guide',
      displayName: 'Guide',
      description: 'Knows places',
      runnable: true,
      protocol: 'tam',
      tools: ['agent:guide', 'agent:village/smith', 'core:echo'],
      links: {
        self: '/v1/agents/guide',
        agui: '/agui/guide',
        a2a: '/a2a/guide',
        card: '/a2a/guide/.well-known/agent-card.json',
        mcp: '/mcp/guide',
      },
    });
    expect(items[1]?.['links']).toEqual({ self: '/v1/agents/elsewhere', mcp: '/mcp/elsewhere' });
  });

  it('One agent has its limits over the defaults', async () => {
    const { body } = await read(`/${encodeURIComponent('village/smith')}`);
    expect(body).toMatchObject({
      id: 'village/smith',
      displayName: 'village/smith',
      description: 'Asks the agent village/smith and returns its answer.',
      limits: { maxRounds: 2, maxTokens: 9, maxToolCalls: 50, promptTools: 40 },
      problems: [],
    });
  });

  it('One agent has the problems of its file', async () => {
    const { body } = await read('/broken');
    expect(body['problems']).toMatchObject([
      { field: 'core_deliberation_workflow_id', suggestion: 'core:deliberate', line: expect.any(Number) },
    ]);
  });

  it.each([
    ['guid', 'guide'],
    ['__proto__', undefined],
  ])('The unknown agent %s is not found, with the nearest id', async (id, suggestion) => {
    const { status, body } = await read(`/${id}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'not_found', errors: [{ path: '/id' }] });
    expect((body['errors'] as { suggestion?: string }[])[0]?.suggestion).toBe(suggestion);
  });
});

describe('A submission to an agent', () => {
  const submit = (body: object) => stack.client.post('/v1/invocations', body);

  it('The tools of the agent are stored once when the first turn is accepted', async () => {
    for (const message of ['Hi', 'Again']) {
      const { status, body } = await submit({ toolId: 'agent:guide', arguments: { message } });
      expect({ status, body }).toMatchObject({ status: 202, body: { steps: [{ toolId: 'agent:guide' }] } });
      const stored = (await stack.askServers((redis) => redis.keys('*:definition:*'))).flat();
      // Each shard has the same definitions.
      expect(new Set(stored.map((key) => key.split(':').at(-1))).size).toBe(2);
    }
  });

  it('Wrong arguments are refused with the field', async () => {
    for (const [args, path] of [
      [{}, '/message'],
      [{ message: 'x', tools: [{ name: 'core:echo' }] }, '/tools/0/name'],
      [{ message: 'x', tools: [{ name: 'a', parameters: { type: 'txt' } }] }, '/tools/0/parameters/type'],
      [{ message: 'x', tools: [{ name: 'a', output: { pattern: '(' } }] }, '/tools/0/output/pattern'],
      [{ message: 'x', context: [{ description: 'd' }] }, '/context/0/value'],
    ] as const) {
      const { status, body } = await submit({ toolId: 'agent:guide', arguments: args });
      expect({ status, body }).toMatchObject({ status: 422, body: { code: 'invalid_parameters', errors: [{ path }] } });
    }
  });
});
