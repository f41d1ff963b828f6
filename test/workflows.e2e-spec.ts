import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BROKEN_CASES, RUNNING_CASES } from '../libs/engine/test/conformance-cases.js';
import { readFlowchart } from '../libs/engine/test/read-flowchart.js';
import { useStack } from './support/start-stack.js';

/**
 * Runs the stored workflows of the engine's conformance cases in the whole system: from files in a library to the
 * result over HTTP.
 */

/** The first code block of `language` in docs/workflows.md. */
function blockOfDocs(language: string): string {
  const text = readFileSync(join(__dirname, '../docs/workflows.md'), 'utf8');
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(text)![1]!;
}

const stored = [...RUNNING_CASES, ...BROKEN_CASES].flatMap(({ name, workflow, others = [] }) =>
  [workflow, ...others].map((each) => [`workflows/${name}/${each.id}.json`, each] as const),
);
const { client } = useStack({
  with: ['worker'],
  examples: true,
  library: { ...Object.fromEntries(stored), 'workflows/price.json': blockOfDocs('json') },
});

describe.each(RUNNING_CASES)('The stored workflow $name: $about', ({ workflow, runs }) => {
  it.each(runs)(
    'The outcome and the node states are the expected ones for $inputs',
    async ({ inputs, outputs = {}, words = [], failure, statuses = {} }) => {
      const { id, status, result, error } = await client.invoke({
        toolId: `workflow:${workflow.id}`,
        arguments: inputs,
      });
      const names = Object.keys(workflow.interfaceOutputs ?? {});
      if (failure) {
        expect({ status, type: error?.type, nodeId: error?.details?.nodeId }).toEqual({
          status: 'failed',
          type: failure.type,
          nodeId: failure.nodeId,
        });
        for (const word of failure.words) expect(error!.message).toContain(word);
      } else {
        expect(status).toBe('succeeded');
        const [name = ''] = names;
        const expected = names.length === 1 && Object.hasOwn(outputs, name) ? outputs[name] : outputs;
        if (typeof expected === 'object' && expected !== null) expect(result).toMatchObject(expected);
        else expect(result).toEqual(expected);
        for (const word of words) expect(JSON.stringify(result)).toContain(word);
      }
      const { steps } = await client.read(id);
      const nodes = Object.fromEntries((steps[0]!.nodes ?? []).map((node) => [node.nodeId, node.status]));
      expect(nodes).toMatchObject(statuses);
    },
  );
});

describe('Workflows that must not load', () => {
  it.each(BROKEN_CASES)('The workflow $name is refused: $about', async ({ name, workflow, problems }) => {
    const { body } = await client.get<{ items: { file: string; message: string; suggestion?: string }[] }>(
      '/v1/tools/problems',
    );
    const told = body.items.filter(({ file }) => file.includes(`/${name}/${workflow.id}.`));
    for (const { words, suggestion } of problems) {
      const found = told.find(({ message }) => words.every((word) => message.includes(word)));
      expect(found).toMatchObject(suggestion === undefined ? {} : { suggestion });
    }
    expect((await client.get(`/v1/tools/${encodeURIComponent(`workflow:${workflow.id}`)}`)).status).toBe(404);
  });
});

describe('GET /v1/tools/:id/graph', () => {
  interface Graph {
    toolId: string;
    version: string;
    nodes: { id: string; type: string; group?: string }[];
    edges: { source: string; target: string }[];
    mermaid: string;
  }
  const graphOf = (id: string) => client.get<Graph>(`/v1/tools/${encodeURIComponent(id)}/graph`);

  it('The graph of a workflow has its nodes, its edges, opened node groups and a Mermaid text', async () => {
    const { status, body } = await graphOf('workflow:group-in-group');
    expect(status).toBe(200);
    expect(body).toMatchObject({ toolId: 'workflow:group-in-group', version: '0.0.5' });
    expect(body.nodes.filter(({ type }) => type.startsWith('core:c') || type === 'core:join')).toEqual([
      expect.objectContaining({ id: 'outer/case', group: 'outer' }),
      expect.objectContaining({ id: 'outer/greet/line', group: 'outer/greet' }),
    ]);
    const ids = new Set(body.nodes.map(({ id }) => id));
    expect(body.edges.every(({ source, target }) => ids.has(source) && ids.has(target))).toBe(true);
    expect(readFlowchart(body.mermaid)).toMatchObject({ subgraphs: [{ within: undefined }, { within: 'n1' }] });
  });

  it.each(RUNNING_CASES)('The Mermaid text of $name has all nodes and edges of the graph', async ({ workflow }) => {
    const { body } = await graphOf(`workflow:${workflow.id}`);
    const { nodes, subgraphs, edges } = readFlowchart(body.mermaid);
    expect(nodes.length + subgraphs.length).toBe(body.nodes.length);
    expect(edges).toHaveLength(body.edges.length);
  });

  it('The graph of a node has one node', async () => {
    expect((await graphOf('core:echo')).body).toMatchObject({
      toolId: 'core:echo',
      nodes: [{ id: 'echo', type: 'core:echo', kind: 'node', displayName: 'Echo' }],
      edges: [],
      mermaid: 'flowchart LR\n  n0["echo<br/>Echo"]\n',
    });
  });

  it('A tool without a graph gets 409, and an unknown tool gets 404', async () => {
    expect(await graphOf('core:execute-python-script')).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining("of the kind 'script'") },
    });
    expect(await graphOf('workflow:group-in-grup')).toMatchObject({
      status: 404,
      body: { code: 'not_found', errors: [{ suggestion: 'workflow:group-in-group' }] },
    });
  });
});

describe('The workflows of the examples', () => {
  it.each([
    ['greet', { name: 'ada lovelace' }, 'Hello, Ada Lovelace'],
    ['tidy-list', { text: 'pear, Apple,,pear ,  apple, fig' }, { items: ['Apple', 'fig', 'pear'], count: 3 }],
    [
      'sales-report',
      { csv: 'region,amount\nnorth,12.5\nsouth,30\nwest,7.5\n', top: 2 },
      { total: 50, average: 16.67, largest: 'region,amount\r\nsouth,30\r\nnorth,12.5' },
    ],
    ['sales-report', { csv: 'region,amount\n' }, { total: 0, average: null, largest: '' }],
    ['slugs', { titles: ['Hello, World!', '…', 'hello world', 'Émile Zola'] }, ['hello-world', 'émile-zola']],
  ])('The workflow %s returns the expected result for %j', async (id, args, result) => {
    expect(await client.invoke({ toolId: `workflow:${id}`, arguments: args })).toMatchObject({
      status: 'succeeded',
      result,
    });
  });

  it.each([
    [{ result: { approved: true } }, 'Published: News'],
    [{ result: { approved: false } }, 'Not published: News'],
    [{ error: { message: 'nobody is in' } }, 'Not published: News'],
  ])('The workflow approve waits for a person and continues with %j', async (answer, line) => {
    const draft = { title: 'News', text: 'Nothing new.' };
    const id = await client.submit({ toolId: 'workflow:approve', arguments: { draft } });
    await client.untilWaiting(id);
    expect(await client.answer(id, { result: { approved: 'yes' } })).toMatchObject({ status: 422 });
    const { status } = await client.answer(id, answer);
    expect(status).toBeLessThan(300);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: line });
  });
});

describe('The page docs/workflows.md', () => {
  it('The workflow of docs/workflows.md runs', async () => {
    const call = { toolId: 'workflow:price', arguments: { net: 200 } };
    expect(await client.invoke(call)).toMatchObject({ status: 'succeeded', result: 238 });
  });

  it('The drawing of docs/workflows.md matches its workflow', async () => {
    const { body } = await client.get<{ mermaid: string }>('/v1/tools/workflow:price/graph');
    expect(body.mermaid).toBe(blockOfDocs('mermaid'));
  });
});
