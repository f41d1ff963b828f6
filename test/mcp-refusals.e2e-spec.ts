import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { eventually } from './support/eventually.js';
import { OFFICE } from './support/mcp-library.js';
import { askMcp, connectMcp, sendMcp, TASKS } from './support/mcp-client.js';
import { useStack } from './support/start-stack.js';

/** Hostile and mistaken requests to the MCP server. */
const stack = useStack({ with: ['worker'], library: OFFICE });
const at = (path = '') => `${stack.url}/mcp${path}`;
const CAPABLE = { elicitation: {}, extensions: { [TASKS]: {} } };

interface JsonRpcError {
  jsonrpc: string;
  id: unknown;
  error: { code: number; message: string; data?: { code: string } };
}

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, path = '') {
  const response = await fetch(at(path), {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}
const errorIn = ({ text }: { text: string }) => JSON.parse(text) as JsonRpcError;
const listing = (more: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...more });

describe('A request that no MCP client sends', () => {
  it('GET and DELETE are 405 with the right method', async () => {
    for (const path of ['', '/clerk'])
      for (const method of ['GET', 'DELETE', 'PUT']) {
        const { status, headers } = await fetch(at(path), { method });
        expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
      }
  });

  it.each<[body: string | Uint8Array<ArrayBuffer>, status: number, code: number]>([
    ['{', 400, -32700],
    [new Uint8Array([0x22, 0xff, 0x22]), 400, -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":1e999}}', 400, -32600],
    ['7', 400, -32600],
    ['[]', 400, -32600],
    ['"tools/list"', 400, -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400, -32600],
  ])('The body %s is refused with a code of JSON-RPC', async (body, status, code) => {
    const got = await post(body);
    expect({ status: got.status, code: errorIn(got).error.code }).toEqual({ status, code });
    expect(got.text).not.toMatch(/\bat .*\.(ts|js|cjs):\d+/);
  });

  it('A body above the limit is 413, and another media type is 415', async () => {
    const large = await post(listing({ params: { x: 'x'.repeat(2_000_000) } }));
    expect([large.status, errorIn(large).error.code]).toEqual([413, -32600]);
    expect((await post('a=b', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it.each([100, 10_000])('JSON that is %d levels deep is refused, and the API goes on', async (depth) => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const got = await post(listing({ params: { deep: 'DEEP' } }).replace('"DEEP"', deep));
    expect([got.status, errorIn(got).error.code]).toEqual([400, -32600]);
    expect((await askMcp(at(), { method: 'tools/list' })).status).toBe(200);
  });

  it('A lone surrogate in a session is refused, and one in an argument is text', async () => {
    const call = (value: string, session: string) =>
      askMcp(at(), {
        method: 'tools/call',
        params: { name: 'core__echo', arguments: { value }, _meta: { 'errand/session': session } },
      });
    expect((await call('x', '\ud800')).error).toMatchObject({ code: -32602 });
    expect((await call('\ud800', 's')).result).toMatchObject({ content: [{ type: 'text' }] });
  });

  it('An unknown agent is 404 with the nearest name, in JSON-RPC', async () => {
    const got = await post(listing(), {}, '/clerc');
    expect(got.status).toBe(404);
    expect(errorIn(got).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("did you mean 'clerk'?"),
    });
    for (const path of ['/__proto__', '/..%2f..%2fv1', `/${'x'.repeat(200)}`])
      expect((await post(listing(), {}, path)).status).toBe(404);
  });

  it('An unknown method is an error, also names of objects', async () => {
    for (const method of [
      'tools/lists',
      '__proto__',
      'constructor',
      'prompts/list',
      'resources/list',
      'sampling/createMessage',
    ])
      expect(await askMcp(at(), { method })).toMatchObject({ status: 404, error: { code: -32601 } });
  });

  it('Wrong parameters of a call are errors, and nothing runs', async () => {
    for (const params of [
      {},
      { name: 7 },
      { name: 'core__echo', arguments: 'x' },
      { name: 'core__echo', arguments: [] },
    ])
      expect((await askMcp(at(), { method: 'tools/call', params })).error).toMatchObject({ code: -32602 });
  });
});

describe('A page in a browser', () => {
  it('Another origin may not call the server', async () => {
    for (const path of ['', '/clerk'])
      expect((await post(listing(), { origin: 'http://evil.example' }, path)).status).toBe(403);
    expect((await post(listing(), { origin: stack.url })).status).toBe(200);
  });

  it('A host that was rebound to this machine is refused', async () => {
    const { port } = new URL(stack.url);
    const status = await new Promise((resolve, reject) => {
      const headers = { host: `evil.example:${port}`, 'content-type': 'application/json' };
      httpRequest({ port, path: '/mcp', method: 'POST', headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(listing());
    });
    expect(status).toBe(403);
  });
});

describe('Tenants', () => {
  const keys = { acme: randomBytes(12).toString('hex'), other: randomBytes(12).toString('hex') };
  const bearer = (name: keyof typeof keys) => ({ authorization: `Bearer ${keys[name]}` });
  let url: string;
  beforeAll(async () => {
    const all = Object.entries(keys).map(([name, key]) => `${name}:${key}`);
    url = `${await stack.startApi({ ERRAND_API_KEYS: all.join(' ') })}/mcp`;
  });

  it('A key is needed, and a client without one learns how to present it', async () => {
    const got = await fetch(url, { method: 'POST', body: listing(), headers: { 'content-type': 'application/json' } });
    expect([got.status, got.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    await expect(connectMcp(url)).rejects.toThrow();
    const client = await connectMcp(url, { headers: bearer('acme') });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });

  it("A tenant sees, answers and cancels none of another's tasks", async () => {
    const params = { name: 'office__two', arguments: {} };
    const { result } = await askMcp(url, {
      method: 'tools/call',
      params,
      capabilities: CAPABLE,
      headers: bearer('acme'),
    });
    const { taskId } = result as { taskId: string };
    const accept = { action: 'accept', content: { n: 1 } };
    const foreign = { capabilities: CAPABLE, headers: bearer('other') };
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const inputResponses = { one: accept, other: accept };
      const reply = await askMcp(url, { method, params: { taskId, inputResponses }, ...foreign });
      expect(reply.error).toMatchObject({ code: -32602, message: expect.stringContaining('There is no task') });
    }
    const own = await askMcp(url, { method: 'tasks/get', params: { taskId }, ...foreign, headers: bearer('acme') });
    expect(own.result).toMatchObject({ status: expect.stringMatching(/working|input_required/) });
  });

  it("A tenant cannot continue another's call with its state", async () => {
    const params = { name: 'office__ask', arguments: { question: '?' } };
    const mine = { method: 'tools/call', capabilities: { elicitation: {} } };
    const { result } = await askMcp(url, { ...mine, params, headers: bearer('acme') });
    const more = {
      requestState: result?.['requestState'],
      inputResponses: { answer: { action: 'accept', content: { name: 'Eve' } } },
    };
    const stolen = await askMcp(url, { ...mine, params: { ...params, ...more }, headers: bearer('other') });
    expect(stolen.error).toMatchObject({ code: -32602 });
    const own = await askMcp(url, { ...mine, params: { ...params, ...more }, headers: bearer('acme') });
    expect(own.result).toMatchObject({ structuredContent: { name: 'Eve' } });
  });
});

describe('A server that cannot accept a call', () => {
  it('A full queue is 429 with Retry-After, and a JSON-RPC error with the id of the request', async () => {
    const alone = await stack.startApi({ ERRAND_QUEUE_BOUND: '1' });
    const params = {
      name: 'core__delay',
      arguments: { ms: 600_000 },
      _meta: { 'errand/options': { priority: 2_000_000 } },
    };
    const held: AbortController[] = [];
    const full = await eventually(async () => {
      const controller = new AbortController();
      const call = sendMcp(`${alone}/mcp`, { method: 'tools/call', params, signal: controller.signal });
      held.push(controller);
      const settled = await Promise.race([call, new Promise<undefined>((resolve) => setTimeout(resolve, 100))]);
      call.catch(() => {});
      return settled?.status === 429 && settled;
    }, 'the queue is full');
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await full.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32603, data: { code: 'queue_full' } },
    });
    for (const controller of held) controller.abort();
  });
});

describe('An API that shuts down', () => {
  it('A waiting call is answered, and its invocation goes on', async () => {
    const { startApi } = await import('../apps/api/src/start.js');
    const api = await startApi({ ...stack.env, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'fatal' });
    const params = { name: 'core__delay', arguments: { ms: 600_000 }, _meta: { 'errand/session': 'shutdown' } };
    const reply = askMcp(`${api.url}/mcp`, { method: 'tools/call', params });
    const { id } = await eventually(async () => {
      const { body } = await stack.client.get<{ items: { id: string; status: string }[] }>(
        '/v1/invocations?session=shutdown',
      );
      return body.items[0]?.status === 'running' && body.items[0];
    }, 'the call runs');
    await api.close();
    expect(await reply).toMatchObject({ status: 503, error: { code: -32603, message: expect.stringContaining(id) } });
    expect((await stack.client.read(id)).status).toBe('running');
    await stack.client.cancel(id);
  });

  it('A stream of a listening client ends', async () => {
    const { startApi } = await import('../apps/api/src/start.js');
    const api = await startApi({ ...stack.env, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'fatal' });
    const params = { notifications: { toolsListChanged: true } };
    const response = await sendMcp(`${api.url}/mcp`, { method: 'subscriptions/listen', params });
    const [text] = await Promise.all([response.text(), api.close()]);
    expect(text).toContain('notifications/subscriptions/acknowledged');
  });
});
