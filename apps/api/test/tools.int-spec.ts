import type { Invocation } from '@errand/contracts';
import type { Problem } from '../../../test/support/client.js';
import { useStack } from '../../../test/support/start-stack.js';

interface Listed {
  items: { toolId: string; links: Record<string, string> }[];
  nextCursor: string | null;
}

const timeTool = (version: string, more: object = {}) => ({
  toolId: 'clock:now',
  version,
  description: 'The current time',
  handler: { type: 'service-method', serviceName: 'system', methodName: 'getCurrentTime' },
  parameters: { type: 'object', properties: { timezone: { type: 'string', default: 'UTC' } } },
  tags: ['clocks'],
  ...more,
});

const FILES: Record<string, unknown> = {
  'tools/now-2.tool.json': timeTool('2.0.0'),
  'tools/now-1.tool.json': timeTool('1.4.0', { deprecated: 'use clock:now@2' }),
  'tools/old.tool.json': timeTool('1.0.0', { toolId: 'clock:old', deprecated: true, tags: [] }),
  'tools/broken.tool.json': { toolId: 'clock:broken', descripton: 'x' },
  'tools/huge.tool.json': {
    toolId: 'huge:job',
    version: '1.0.0',
    description: 'A script whose folder is too large to travel',
    handler: { type: 'external-script', language: 'python', scriptPath: 'huge/main.py' },
  },
  'scripts/huge/main.py': '0',
  'scripts/huge/data.json': 'x'.repeat(5 * 1024 * 1024),
  'agents/clerk.json': { id: 'clerk', tool_ids_inventory: ['clock:now', 'core:*'] },
};

const { client } = useStack({ with: ['worker'], examples: true, library: FILES });

const ids = async (query: string) =>
  (await client.get<Listed>(`/v1/tools?${query}`)).body.items.map(({ toolId }) => toolId);

describe('GET /v1/tools', () => {
  it('All pages together are the whole catalogue', async () => {
    const all = await ids('');
    const read: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `limit=4${cursor ? `&cursor=${cursor}` : ''}`;
      const page: Listed = (await client.get<Listed>(`/v1/tools?${query}`)).body;
      expect(page.items.length).toBeLessThanOrEqual(4);
      read.push(...page.items.map(({ toolId }) => toolId));
      cursor = page.nextCursor;
    }
    expect(read).toEqual(all);
    expect(all).toContain('clock:now');
  });

  it.each([
    ['namespace=clock', ['clock:now', 'clock:old']],
    ['tag=clocks', ['clock:now']],
    ['kind=service&namespace=clock', ['clock:now', 'clock:old']],
    ['namespace=clock&agent=clerk', ['clock:now']],
    ['namespace=nobody', []],
  ])('The list is filtered by %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it('The list is searched by words', async () => {
    expect((await ids('q=roll dice&limit=3'))[0]).toBe('dice:roll');
    expect(await ids('q=')).toEqual(await ids(''));
  });

  it.each([
    ['kind=nodes', /kind/],
    ['namespace=core:', /namespace must be the part of a tool id before the colon/],
    ['tag=', /tag/],
    ['tag=a&tag=b', /tag/],
    ['limit=0', /limit must be from 1 to 1000/],
    ['limit=many', /limit must be a whole number/],
    ['cursor=x', /nextCursor/],
    ['namspace=core', /did you mean 'namespace'/],
  ])('The query %s is refused', async (query, message) => {
    const { status, body } = await client.get<Problem>(`/v1/tools?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', detail: expect.stringMatching(message) });
  });

  it('An unknown agent is refused with a suggestion', async () => {
    const { status, body } = await client.get<Problem>('/v1/tools?agent=clrk');
    expect(status).toBe(422);
    expect(body.detail).toContain("did you mean 'clerk'?");
  });
});

describe('GET /v1/tools/:id', () => {
  it('A tool is shown with its version, all its versions and a link to itself', async () => {
    const { body } = await client.get<{ links: { self: string } }>('/v1/tools/clock:now');
    expect(body).toMatchObject({ toolId: 'clock:now', version: '2.0.0', versions: ['2.0.0', '1.4.0'] });
    expect((await client.get(body.links.self)).body).toEqual(body);
    expect((await client.get('/v1/tools/clock:now@1')).body).toMatchObject({
      version: '1.4.0',
      deprecated: 'use clock:now@2',
    });
  });

  it('An unknown tool gets 404 with a suggestion', async () => {
    expect(await client.get<Problem>('/v1/tools/clok:now')).toMatchObject({
      status: 404,
      body: { code: 'not_found', errors: [{ suggestion: 'clock:now' }] },
    });
    expect((await client.get('/v1/tools/constructor')).status).toBe(404);
  });

  it('An agent cannot see tools outside of its inventory', async () => {
    expect((await client.get('/v1/tools/clock:now?agent=clerk')).status).toBe(200);
    const { status, body } = await client.get<Problem>('/v1/tools/clock:old?agent=clerk');
    expect(status).toBe(404);
    expect(JSON.stringify(body.errors![0]!.suggestion ?? '')).not.toContain('clock:old');
    expect((await client.get('/v1/tools/clock:now?agnt=clerk')).status).toBe(400);
  });
});

test('A tool whose script is too large is unavailable, and the observation says how to continue', async () => {
  const { status, body } = await client.post<Problem>('/v1/invocations', { toolId: 'huge:job', arguments: {} });
  const message = expect.stringMatching(/huge:job cannot run until its files are fixed: .*at most 500 files/);
  expect({ status, body }).toMatchObject({
    status: 503,
    body: {
      code: 'unavailable',
      detail: message,
      observation:
        'Observation: Error - Tool huge:job cannot run: its files are not in order. Go on without it, or tell the user.',
    },
  });
});

describe('GET /v1/tools/prompt', () => {
  it('The prompt for a query has only the most relevant tools', async () => {
    const { body } = await client.get<string>('/v1/tools/prompt?q=roll dice&limit=1');
    expect(body.match(/^### \S+:\S+$/gm)).toEqual(['### dice:roll']);
    const { body: definitions } = await client.get<object[]>('/v1/tools/prompt?format=openai&q=roll dice&limit=1');
    expect(definitions).toMatchObject([{ function: { name: 'dice__roll' } }]);
  });

  it.each([
    ['format=xml', /format/],
    ['limit=0', /limit/],
    ['maxChars=x', /maxChars/],
    ['agnt=demo', /did you mean 'agent'/],
  ])('The query %s is refused', async (query, message) => {
    const { status, body } = await client.get<Problem>(`/v1/tools/prompt?${query}`);
    expect({ status, detail: body.detail }).toEqual({ status: 400, detail: expect.stringMatching(message) });
  });
});

describe('GET /v1/tools/problems', () => {
  it('A problem has the file, the line and a suggestion', async () => {
    const { body } = await client.get<{ items: Record<string, unknown>[] }>('/v1/tools/problems');
    expect(body.items).toContainEqual(
      expect.objectContaining({
        file: expect.stringMatching(/broken\.tool\.json$/),
        line: 3,
        column: expect.any(Number),
        suggestion: 'description',
      }),
    );
  });

  it('Whoever acts for a tenant gets no path of the host', async () => {
    const options = { 'x-errand-tenant': 'acme' };
    const { body } = await client.get<{ items: { file: string }[] }>('/v1/tools/problems', options);
    expect(body.items.map(({ file }) => file)).toContain('tools/broken.tool.json');
  });
});

describe('POST /v1/tools/preview', () => {
  const workflow = (more: object = {}) => ({
    nodes: [
      { id: 'in', type: 'core:GroupInput' },
      { id: 'up', type: 'core:case', inputValues: { style: 'upper' } },
      { id: 'out', type: 'core:GroupOutput' },
    ],
    edges: [
      { source: 'in', sourceHandle: 'text', target: 'up', targetHandle: 'text' },
      { source: 'up', sourceHandle: 'text', target: 'out', targetHandle: 'text' },
    ],
    description: 'Shouts',
    interfaceInputs: { text: { dataFlowType: 'STRING', required: true, customDescription: 'What to shout' } },
    interfaceOutputs: { text: { dataFlowType: 'STRING' } },
    ...more,
  });
  const preview = (body: unknown) => client.post<Problem & Record<string, unknown>>('/v1/tools/preview', body);

  it('The preview shows the tool that a workflow would become', async () => {
    const { status, body } = await preview({ workflowId: 'skills/shout', workflow: workflow() });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'workflow:skills/shout',
      description: 'Shouts',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to shout' } },
        required: ['text'],
      },
    });
    expect((await client.get('/v1/tools/workflow:skills%2Fshout')).status).toBe(404);
  });

  it('The preview reports all errors of the graph with paths', async () => {
    const nodes = [
      { id: 'up', type: 'core:cse' },
      { id: 'up', type: 'core:echo' },
    ];
    const { status, body } = await preview({ workflowId: 'x', workflow: workflow({ nodes }) });
    expect(status).toBe(422);
    expect(body.errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: '/workflow/nodes/0/type', suggestion: 'core:case' }),
        expect.objectContaining({ path: '/workflow/nodes/1/id' }),
        expect.objectContaining({ path: '/workflow/edges/0/source' }),
      ]),
    );
  });

  it('The preview reports all errors of the shape with paths', async () => {
    const { status, body } = await preview({
      workflowId: 'x',
      workflow: { nodes: [{ id: 7 }], interfaceInputs: { a: {} } },
    });
    expect(status).toBe(422);
    expect(body.errors!.map(({ path }) => path).toSorted()).toEqual([
      '/workflow/edges',
      '/workflow/interfaceInputs/a/dataFlowType',
      '/workflow/nodes/0/id',
      '/workflow/nodes/0/type',
    ]);
  });

  it('The preview compiles the schema of an answer, in a thread, and names its node', async () => {
    const ask = (schema: object) =>
      preview({
        workflowId: 'x',
        workflow: { nodes: [{ id: 'ask', type: 'core:external', configValues: { schema } }], edges: [] },
      });
    expect((await ask({ type: 'object', properties: { ok: { type: 'boolean' } } })).status).toBe(200);
    const path = '/workflow/nodes/0/configValues/schema';
    expect(await ask({ type: 'objct' })).toMatchObject({ status: 422, body: { errors: [{ path: `${path}/type` }] } });
    const { body } = await ask({ $ref: '#/$defs/gone' });
    expect(body.errors).toMatchObject([
      { path: `${path}/$ref`, message: expect.stringContaining("node 'ask' (core:external)") },
    ]);
    const doubled = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `l${index}`,
        { allOf: [0, 1].map(() => ({ $ref: `#/$defs/l${index + 1}` })) },
      ]),
    );
    const large = await ask({ $ref: '#/$defs/l0', $defs: { ...doubled, l30: {} } });
    expect(large.body.errors).toMatchObject([{ message: expect.stringContaining('unfold to more than') }]);
    expect((await ask({ pattern: '(?=a)' })).status).toBe(422);
  });

  it('The preview refuses a workflow that contains itself', async () => {
    const group = { id: 'again', type: 'core:NodeGroup', configValues: { referencedWorkflowId: 'x' } };
    const { status, body } = await preview({ workflowId: 'x', workflow: { nodes: [group], edges: [] } });
    expect(status).toBe(422);
    expect(body.errors).toContainEqual(expect.objectContaining({ message: expect.stringContaining('x → x') }));
  });

  it.each([
    [{ workflow: { nodes: [], edges: [] } }, /workflowId/],
    [{ workflowId: '../x', workflow: { nodes: [], edges: [] } }, /workflowId must be/],
    [{ workflowId: 'x', workflow: [] }, /workflow must be an object/],
    [{ workflowId: 'x', workflw: {} }, /did you mean 'workflow'/],
  ])('The request %j is refused', async (body, message) => {
    const answer = await preview(body);
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(message);
  });
});

describe('A deprecated tool', () => {
  const warning = { kind: 'deprecated', message: 'Tool clock:old is deprecated' };

  it('A deprecated tool works and warns the caller and the model', async () => {
    const ended = await client.invoke({ toolId: 'clock:old', arguments: {} });
    expect(ended).toMatchObject({ status: 'succeeded', warnings: [{ ...warning, line: 1, column: 1 }] });
    expect(ended.observation).toMatch(
      /^Observation: Tool clock:old executed successfully\. Result: .*\nObservation: Warning - Tool clock:old is deprecated\.$/,
    );
  });

  it('A deprecated tool in a text gets warnings with positions, and the model gets one warning', async () => {
    const call = '<clock:now@1></clock:now@1>';
    const ended: Invocation = await client.invoke({ text: `Now:\n<ACTION>\n  ${call}${call}\n</ACTION>` });
    expect(ended.warnings).toEqual([
      expect.objectContaining({ kind: 'deprecated', line: 3, column: 3 }),
      expect.objectContaining({ kind: 'deprecated', line: 3 }),
    ]);
    expect(ended.observation!.match(/Warning - .* is deprecated: use clock:now@2\.$/gm)).toHaveLength(1);
  });

  it('A call of a version that is not deprecated has no warning', async () => {
    const ended = await client.invoke({ toolId: 'clock:now', arguments: {} });
    expect(ended).not.toHaveProperty('warnings');
    expect(ended.observation).not.toContain('Warning');
  });
});

describe('A tool with parameters of any name', () => {
  it('The catalogue shows the slot of the other inputs, in the parameters and beside the inputs', async () => {
    const { body } = await client.get('/v1/tools/core:object');
    expect(body).toMatchObject({
      inputs: {},
      otherInputs: { dataFlowType: 'WILDCARD' },
      parameters: { properties: {}, additionalProperties: { description: 'The value of the property with this name' } },
    });
    expect((await client.get('/v1/tools/core:echo')).body).not.toHaveProperty('otherInputs');
  });

  it('The prompt names the parameters of any name', async () => {
    const { body } = await client.get<{ text: string }>('/v1/tools/prompt?q=core:object');
    expect(JSON.stringify(body)).toContain('any other name (any; optional)');
  });

  it.each([
    [
      'action',
      '<ACTION><core:object><name>Ada</name><constructor>x</constructor></core:object></ACTION>',
      'constructor',
    ],
    [
      'tam',
      '<|[REQUEST_TOOL]|>command:「始」core:object「末」,name:「始」Ada「末」,proto:「始」x「末」<|[END_TOOL]|>',
      'proto',
    ],
  ])('A call of core:object in %s has all of its parameters', async (_protocol, text, name) => {
    const parsed = await client.post<{ calls: object[] }>('/v1/parse', { text });
    expect(parsed.body).toMatchObject({ calls: [{ toolId: 'core:object', arguments: { name: 'Ada', [name]: 'x' } }] });
    const { body } = await client.post<Invocation>('/v1/invocations', { text }, { prefer: 'wait=20' });
    expect(body).toMatchObject({ status: 'succeeded', result: { name: 'Ada', [name]: 'x' } });
  });

  it('A call in JSON may use the names of prototypes', async () => {
    const body = '{"toolId":"core:object","arguments":{"__proto__":{"a":1},"constructor":2}}';
    const answer = await client.post<Invocation>('/v1/invocations', JSON.parse(body), { prefer: 'wait=20' });
    expect(JSON.stringify(answer.body.result)).toBe('{"__proto__":{"a":1},"constructor":2}');
  });
});
