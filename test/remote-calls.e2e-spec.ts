import { eventually } from './support/eventually.js';
import { NO_SERVERS, RemoteLibrary } from './support/remote-library.js';
import { RemoteServer, text } from './support/remote-server.js';
import { useStack } from './support/start-stack.js';

const remote = new RemoteServer();
const stack = useStack({ with: ['worker'], library: NO_SERVERS, env: { ERRAND_MCP_ALLOW: '127.0.0.1' } });
const { client } = stack;
const library = new RemoteLibrary(stack);

let stopped = 0;
const untilStopped = (_args: object, { mcpReq }: { mcpReq: { signal: AbortSignal } }) =>
  new Promise((resolve) => {
    mcpReq.signal.addEventListener('abort', () => {
      stopped += 1;
      resolve(text('stopped'));
    });
  });

beforeAll(async () => {
  await remote.start();
  remote.tools = [
    {
      name: 'report',
      run: async (_args, { mcpReq }) => {
        const { _meta: meta } = mcpReq;
        const progressToken = meta?.progressToken ?? 'none';
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 4, message: 'one' } }); // prettier-ignore
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: 'a line' } });
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'warning', data: { a: 1 } } });
        return text('done');
      },
    },
    { name: 'wait', run: untilStopped },
    { name: 'pure', annotations: { readOnlyHint: true } },
    { name: 'order', inputSchema: { type: 'object', properties: { why: {} } } },
  ];
  library.setServers({ far: { url: remote.url } });
  await library.untilListed('far:order');
});
afterEach(() => {
  remote.intercept = () => false;
});
afterAll(() => remote.close());

/** Answers the first calls with these status codes; `cut` ends the connection after the call has begun. */
function fail(...answers: (number | 'cut')[]): void {
  remote.intercept = (request, response) => {
    if (request.headers['mcp-method'] !== 'tools/call') return false;
    const answer = answers.shift();
    if (answer === undefined) return false;
    if (typeof answer === 'number') return Boolean(response.writeHead(answer).end('no'));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': begun\n\n', () => response.destroy());
    return true;
  };
}

const RETRY = { options: { attempts: 4, backoff: { type: 'fixed', delayMs: 10 } } };

describe('A call of a tool of another server', () => {
  it('Progress and logs of the server are events of the invocation', async () => {
    const { id } = await library.call('far:report');
    const events = (await client.events(id)).map(({ data }) => data);
    expect(events).toContainEqual(expect.objectContaining({ value: 0.25, message: 'one' }));
    expect(events).toContainEqual(expect.objectContaining({ line: 'a line', step: 0 }));
    expect(events).toContainEqual(expect.objectContaining({ line: 'warning: {"a":1}' }));
  });

  it('A cancel and a time limit reach the server', async () => {
    const id = await client.submit({ toolId: 'far:wait', arguments: {} });
    await eventually(() => remote.count('wait') === 1);
    await client.cancel(id);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'cancelled' });
    await eventually(() => stopped === 1);
    const late = await library.call('far:wait', {}, { options: { timeoutMs: 500 } });
    expect(late).toMatchObject({ error: { type: 'TimeoutError' } });
    await eventually(() => stopped === 2);
  });

  it('A server that answers 503 is a ServiceError, and the call is tried again', async () => {
    fail(503, 503);
    expect(await library.call('far:order', {}, RETRY)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 3 }] });
    fail(500, 502);
    expect(await library.call('far:pure', {}, RETRY)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 3 }] });
    fail(503, 503, 503, 503);
    expect(await library.call('far:order', {}, RETRY)).toMatchObject({
      error: { type: 'ServiceError', message: expect.stringContaining("'far' answered with HTTP 503") },
    });
  });

  it('A tool that may take effect once is not called again after an unknown outcome', async () => {
    for (const answer of [500, 'cut'] as const) {
      fail(answer);
      expect(await library.call('far:order', { why: answer }, RETRY)).toMatchObject({
        status: 'failed',
        error: { type: 'ServiceError', message: expect.stringContaining('may take effect only once') },
        steps: [{ attempts: 1 }],
      });
    }
  });

  it('A tool without effects is called again after the connection was cut', async () => {
    fail('cut', 'cut');
    expect(await library.call('far:pure', {}, RETRY)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 3 }] });
  });

  it('A refusal of the server that no retry can change is not tried again', async () => {
    fail(401);
    expect(await library.call('far:order', { why: 'again' }, RETRY)).toMatchObject({
      error: { type: 'ServiceError', message: expect.stringContaining('check its headers') },
      steps: [{ attempts: 1 }],
    });
  });
});
