import { join } from 'node:path';
import type { Invocation, StepGraph, ToolGraph } from '@errand/contracts';
import type { Problem } from '../../../test/support/client.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { writeFiles } from '../../../test/support/write-files.js';

const workflowWith = (node: string) => ({
  nodes: [
    { id: node, type: 'core:echo', inputValues: { value: 'hello' } },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: node, sourceHandle: 'value', target: 'out', targetHandle: 'text' }],
  interfaceOutputs: { text: { dataFlowType: 'STRING' } },
});

const stack = useStack({ examples: true, library: { 'workflows/chat.json': workflowWith('before') } });
const { client } = stack;

const CALLS = [
  { toolId: 'workflow:chat', arguments: {} },
  { toolId: 'core:echo', arguments: { value: 1 } },
  { toolId: 'text:analyze', arguments: { text: 'a b' } },
];
const idsOf = ({ nodes }: ToolGraph) => nodes.map(({ id }) => id);

describe('GET /v1/invocations/:id/steps/:n/graph', () => {
  it('The graph of a step is that of its definition, although the file of the tool has changed', async () => {
    const { body } = await client.post<Invocation>('/v1/invocations', { calls: CALLS });
    writeFiles(join(stack.folder, 'library'), { 'workflows/chat.json': workflowWith('after') });
    await eventually(async () => {
      const today = await client.get<ToolGraph>('/v1/tools/workflow:chat/graph');
      return idsOf(today.body).includes('after');
    });
    const { body: graph } = await client.get<StepGraph>(`/v1/invocations/${body.id}/steps/0/graph`);
    expect(idsOf(graph)).toEqual(['before', 'out']);
    expect(graph).toMatchObject({
      toolId: 'workflow:chat',
      edges: [{ source: 'before', target: 'out' }],
      nodes: [
        { id: 'before', kind: 'node', status: 'queued', attempts: 0, startedAt: null, finishedAt: null },
        { id: 'out', kind: 'groupOutput', status: 'queued' },
      ],
      mermaid: expect.stringContaining('before'),
    });
  });

  it.each([
    ['1', 200, undefined],
    ['2', 409, "text:analyze of the kind 'script'"],
    ['3', 404, 'its steps are 0 to 2'],
    ['-1', 400, 'The number of the step must be a whole number'],
  ])('The graph of step %s answers %i', async (step, wanted, detail) => {
    const { body } = await client.post<Invocation>('/v1/invocations', { calls: CALLS });
    const { status, body: answer } = await client.get<Problem>(`/v1/invocations/${body.id}/steps/${step}/graph`);
    expect(status).toBe(wanted);
    if (detail !== undefined) expect(answer.detail).toContain(detail);
  });

  it('The graph of a definition that is not stored any more is not found, and the message says why', async () => {
    const { body } = await client.post<Invocation>('/v1/invocations', { calls: [CALLS[1]] });
    await stack.askServers(async (redis) => {
      const keys = await redis.keys('*:definition:*');
      await Promise.all(keys.map((key) => redis.del(key)));
    });
    const other = await stack.startApi();
    const response = await fetch(`${other}/v1/invocations/${body.id}/steps/0/graph`);
    expect([response.status, ((await response.json()) as Problem).detail]).toEqual([
      404,
      'The definition that this step ran with is not stored any more; it expires 90 days after its last use',
    ]);
  });
});
