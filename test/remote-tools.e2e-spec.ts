import { eventually } from './support/eventually.js';
import { RemoteServer, text } from './support/remote-server.js';
import { useStack } from './support/start-stack.js';
import { writeFiles } from './support/write-files.js';
import { join } from 'node:path';

interface ListedTool {
  toolId: string;
  kind: string;
  version: string;
  source: string;
  effects?: string;
  tags: string[];
  description: string;
}

const remote = new RemoteServer();
const stack = useStack({
  with: ['worker'],
  library: { 'mcp.json': '{"mcpServers":{}}' },
  env: { ERRAND_MCP_ALLOW: '127.0.0.1' },
});
const { client } = stack;

beforeAll(async () => {
  await remote.start();
  remote.tools = [
    { name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }, annotations: { readOnlyHint: true } }, // prettier-ignore
    { name: 'structured', outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }, run: () => ({ content: [], structuredContent: { n: 7 } }) }, // prettier-ignore
    {
      name: 'blocks',
      run: () => ({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
    },
    { name: 'broken', run: () => ({ ...text('the disk is full'), isError: true }) },
    { name: 'hidden' },
  ];
  setServers({
    far: { url: remote.url, tools: ['[a-z]', 'add', 's*', 'b*'], tags: ['far'], effects: { 's*': 'idempotent' } },
  });
  await untilListed('far:add');
});
afterAll(() => remote.close());

function setServers(mcpServers: object): void {
  writeFiles(join(stack.folder, 'library'), { 'mcp.json': JSON.stringify({ mcpServers }, null, 2) });
}

const list = async () => (await client.get<{ items: ListedTool[] }>('/v1/tools?limit=200')).body.items;
const problems = async () => (await client.get<{ items: { message: string }[] }>('/v1/tools/problems')).body.items;
const untilListed = (toolId: string) => eventually(async () => (await list()).some((tool) => tool.toolId === toolId));

const call = async (toolId: string, args: object = {}, more: object = {}) =>
  client.untilEnded(await client.submit({ toolId, arguments: args, ...more }));

describe('A server in mcp.json', () => {
  it('The tools of a server are in the catalogue with the name of the server, its tags and its file', async () => {
    const tools = (await list()).filter(({ kind }) => kind === 'mcp');
    expect(tools.map(({ toolId }) => toolId)).toEqual(['far:add', 'far:blocks', 'far:broken', 'far:structured']);
    expect(tools[0]).toMatchObject({ version: '1.0.0', source: 'mcp.json', tags: ['far'], description: 'Adds' });
    expect(await problems()).toEqual([]);
  });

  it('A call runs on the server and gives its structured content, its text or its content', async () => {
    expect(await call('far:add', { a: 1 })).toMatchObject({ status: 'succeeded', result: '{"a":1}' });
    expect(await call('far:structured')).toMatchObject({ result: { n: 7 } });
    expect(await call('far:blocks')).toMatchObject({
      result: {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    });
  });

  it('An error of the tool is a NodeError with its text, and wrong arguments never reach the server', async () => {
    expect(await call('far:broken')).toMatchObject({
      status: 'failed',
      error: { type: 'NodeError', message: 'the disk is full' },
    });
    const before = remote.calls.length;
    expect((await client.post('/v1/invocations', { toolId: 'far:add', arguments: { a: 'x' } })).status).toBe(422);
    expect(remote.calls).toHaveLength(before);
  });
});
