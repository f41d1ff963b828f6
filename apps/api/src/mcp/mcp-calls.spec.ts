import { McpCalls } from './mcp-calls.js';
import type { McpRequest } from './mcp-exchange.js';

type Parts = ConstructorParameters<typeof McpCalls>;

/** Calls of a tool that is known. `begun` has the names of the submitted calls. */
function calls(): { calls: McpCalls; begun: string[] } {
  const begun: string[] = [];
  const catalogue = { find: () => ({ toolId: 'core:echo' }) };
  const submissions = {
    begin: async ({ name }: { name: string }) => {
      begun.push(name);
      return { refused: { resultType: 'complete' } };
    },
  };
  const others = Array.from({ length: 5 }, () => ({}));
  const parts = [catalogue, {}, submissions, ...others] as unknown as Parts;
  return { calls: new McpCalls(...parts), begun };
}

const { signal } = new AbortController();
const request = { exchange: { scope: { reach: 'acme' } }, context: { mcpReq: { signal } } } as unknown as McpRequest;

describe('A call of an MCP client', () => {
  it('A call that comes while the server closes is refused as unavailable, and submits nothing', async () => {
    const { calls: open, begun } = calls();
    await expect(open.call({ name: 'core:echo' }, request)).resolves.toEqual({ resultType: 'complete' });
    await open.release();
    await expect(open.call({ name: 'core:echo' }, request)).rejects.toMatchObject({
      code: 'unavailable',
      more: { retryAfterSeconds: 2 },
    });
    expect(begun).toEqual(['core:echo']);
  });
});
