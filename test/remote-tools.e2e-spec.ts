import { NO_SERVERS, RemoteLibrary } from './support/remote-library.js';
import { RemoteServer, text } from './support/remote-server.js';
import { useStack } from './support/start-stack.js';

const remote = new RemoteServer();
/** A workflow whose node calls the tool of a server. */
const COUNT = {
  interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
  nodes: [
    { id: 'n', type: 'core:tool', inputValues: { arguments: { n: 3 } }, configValues: { toolId: 'far:structured' } },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'n', sourceHandle: 'result', target: 'out', targetHandle: 'value' }],
};
const stack = useStack({
  with: ['worker'],
  library: { ...NO_SERVERS, 'workflows/count.json': JSON.stringify(COUNT) },
  env: { ERRAND_MCP_ALLOW: '127.0.0.1' },
});
const library = new RemoteLibrary(stack);

const INTEGER = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const BLOCKS = [
  { type: 'text', text: 'a' },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
];

beforeAll(async () => {
  await remote.start();
  remote.tools = [
    { name: 'add', description: 'Adds', inputSchema: INTEGER, annotations: { readOnlyHint: true } },
    {
      name: 'structured',
      inputSchema: { ...INTEGER, required: [] },
      outputSchema: INTEGER,
      run: ({ n = 7 }) => ({ content: [], structuredContent: { n } }),
    },
    { name: 'blocks', run: () => ({ content: BLOCKS }) },
    { name: 'broken', run: () => ({ ...text('the disk is full'), isError: true }) },
    { name: 'hidden' },
  ];
  library.setServers({
    far: { url: remote.url, tools: ['add', 's*', 'b*'], tags: ['far'], effects: { 's*': 'idempotent' } },
  });
  await library.untilListed('far:add');
});
afterAll(() => remote.close());

describe('A server in mcp.json', () => {
  it('The tools of a server are in the catalogue with the name of the server, its tags and its file', async () => {
    const tools = await library.tools();
    expect(tools.map(({ toolId }) => toolId)).toEqual(['far:add', 'far:blocks', 'far:broken', 'far:structured']);
    expect(tools[0]).toMatchObject({ version: '1.0.0', source: 'mcp.json', tags: ['far'], description: 'Adds' });
    expect(await library.problems()).toEqual([]);
  });

  it('A call runs on the server and gives its structured content, its text or its content', async () => {
    expect(await library.call('far:add', { n: 1 })).toMatchObject({ status: 'succeeded', result: '{"n":1}' });
    expect(await library.call('far:structured')).toMatchObject({ result: { n: 7 } });
    expect(await library.call('far:blocks')).toMatchObject({ result: { content: BLOCKS } });
  });

  it('An error of the tool is a NodeError with its text, and wrong arguments never reach the server', async () => {
    expect(await library.call('far:broken')).toMatchObject({
      status: 'failed',
      error: { type: 'NodeError', message: 'the disk is full' },
    });
    const before = remote.calls.length;
    expect((await stack.client.post('/v1/invocations', { toolId: 'far:add', arguments: { n: 'x' } })).status).toBe(422);
    expect(remote.calls).toHaveLength(before);
  });

  it('A workflow and a text can call the tool of a server', async () => {
    const block = '<ACTION><far:structured></far:structured></ACTION>';
    const id = await stack.client.submit({ text: block });
    expect(await stack.client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: { n: 7 } });
    expect(await library.call('workflow:count')).toMatchObject({ status: 'succeeded', result: { n: 3 } });
  });
});

describe('A server of the revision 2025-11-25', () => {
  it('The tools of a server that knows only initialize are listed and called', async () => {
    const older = new RemoteServer();
    // A server of that revision does not know the request with which a newer client begins.
    older.intercept = (request, response) => {
      if (request.headers['mcp-method'] === undefined) return false;
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Bad Request: no session"}}');
      return true;
    };
    older.tools = [{ name: 'echo' }];
    await older.start();
    library.setServers({ older: { url: older.url } });
    await library.untilListed('older:echo');
    expect(await library.call('older:echo', {})).toMatchObject({ status: 'succeeded', result: '{}' });
    await older.close();
  });
});
