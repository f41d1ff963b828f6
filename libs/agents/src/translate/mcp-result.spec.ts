import { isObject, type Json } from '@errand/contracts';
import { mcpErrorResult, toMcpResult, type McpEnded } from './mcp-result.js';

const ended = (result: Json): McpEnded => ({ id: 'inv_1', status: 'succeeded', result, observation: 'o', error: null });
const terms = {
  isContentBlock: (value: unknown) => isObject(value) && value.type === 'text' && typeof value.text === 'string',
  hasOutputSchema: false,
};
const ID = { 'errand/invocationId': 'inv_1' };

describe('The MCP result of an invocation', () => {
  it('A text becomes a text block', () => {
    expect(toMcpResult(ended('hi'), terms)).toEqual({ content: [{ type: 'text', text: 'hi' }], _meta: ID });
  });

  it.each([[[1, 2]], [{ a: 1 }], [null], [false], [7]])(
    'The value %j becomes JSON text and structured content',
    (value) => {
      expect(toMcpResult(ended(value), terms)).toEqual({
        content: [{ type: 'text', text: JSON.stringify(value) }],
        structuredContent: value,
        _meta: ID,
      });
    },
  );

  it('A value with valid content blocks passes as it is', () => {
    const content = [{ type: 'text', text: 'a' }];
    const value = { content, structuredContent: { a: 1 }, isError: true, _meta: { mine: 1 }, other: 2 };
    expect(toMcpResult(ended(value), terms)).toEqual({
      content,
      structuredContent: { a: 1 },
      isError: true,
      _meta: { mine: 1, ...ID },
    });
  });

  it('A tool cannot write another invocation id into its result', () => {
    const value = { content: [{ type: 'text', text: 'a' }], _meta: { 'errand/invocationId': 'inv_2' } };
    expect(toMcpResult(ended(value), terms)).toMatchObject({ _meta: ID });
  });

  it.each([[[]], [[{ type: 'text' }]], [['text']], [{ type: 'text', text: 'a' }]])(
    'A value whose content is %j is a value like any other',
    (content) => {
      const value = { content } as Json;
      expect(toMcpResult(ended(value), terms)).toMatchObject({ structuredContent: value });
    },
  );

  it('Content of a tool with an output schema has its value as structured content, which clients require', () => {
    const value = { content: [{ type: 'text', text: 'a' }] };
    expect(toMcpResult(ended(value), { ...terms, hasOutputSchema: true })).toMatchObject({ structuredContent: value });
  });

  it('A failed and a cancelled invocation are errors with the Observation', () => {
    for (const status of ['failed', 'cancelled'] as const)
      expect(toMcpResult({ ...ended(null), status, observation: 'Observation: Error - x' }, terms)).toEqual({
        ...mcpErrorResult('Observation: Error - x'),
        _meta: ID,
      });
  });
});
