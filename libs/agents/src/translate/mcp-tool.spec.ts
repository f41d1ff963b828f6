import type { Tool } from '@errand/contracts';
import { toMcpTool } from './mcp-tool.js';

const tool: Tool = {
  toolId: 'a:b',
  version: '1.0.0',
  displayName: 'B',
  description: 'd',
  kind: 'node',
  parameters: { type: 'object', properties: { x: { $ref: '#/$defs/y' } }, $defs: { y: {} } },
  tags: [],
  implementation: { type: 'node', nodeType: 'a:b' },
  source: 's',
  digest: '0',
};

describe('The entry of a tool in tools/list', () => {
  it('The parameters are the input schema, untouched, and a tool without effects has no annotations', () => {
    const { parameters: inputSchema } = tool;
    expect(toMcpTool(tool, 'n')).toEqual({ name: 'n', title: 'B', description: 'd', inputSchema });
  });

  it.each([
    ['none', { readOnlyHint: true }],
    ['idempotent', { idempotentHint: true }],
    ['once', { destructiveHint: true }],
  ] as const)('The effects %s become %j', (effects, annotations) => {
    expect(toMcpTool({ ...tool, effects }, 'n')).toMatchObject({ annotations });
  });

  it('Only an object schema becomes the output schema', () => {
    const object = { type: 'object', properties: {} };
    expect(toMcpTool({ ...tool, output: object }, 'n').outputSchema).toBe(object);
    expect(toMcpTool({ ...tool, output: { type: 'string' } }, 'n')).not.toHaveProperty('outputSchema');
  });
});
