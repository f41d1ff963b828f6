import { useScriptedModel } from './support/scripted-model.js';
import { onOneServer } from './support/redis-kinds.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';
import { requestText, sendRaw } from './support/raw-exchange.js';

const KEYS = { ada: 'a'.repeat(24), bob: 'b'.repeat(24) };
const model = useScriptedModel();
const stack = useStack({
  with: ['worker'],
  library: turnLibrary(),
  env: { ERRAND_API_KEYS: `ada:${KEYS.ada} bob:${KEYS.bob}` },
});

interface Answer {
  status: number;
  headers: Headers;
  body: { id?: unknown; result?: unknown; error?: { code: number; message: string; data?: unknown } };
  text: string;
}

async function call(body: unknown, headers: Record<string, string> = {}, path = '/a2a/guide'): Promise<Answer> {
  const response = await fetch(`${stack.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${KEYS.ada}`,
      'a2a-version': '1.0',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Answer['body'] };
}

const rpc = (method: string, params: unknown = {}, over: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
  ...over,
});
const say = (parts: unknown, over: object = {}) =>
  rpc('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts, ...over } });
const legacy = (message: unknown) => rpc('message/send', { message });
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('A request that is wrong', () => {
  it.each([
    ['no JSON', '{', {}, 400, -32700],
    ['an empty text', '', {}, 200, -32600],
    ['a batch', [rpc('GetTask'), rpc('GetTask')], {}, 200, -32600],
    ['a text', '"x"', {}, 200, -32600],
    ['no version of JSON-RPC', { id: 1, method: 'GetTask' }, {}, 200, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, {}, 200, -32600],
    ['an id that is an object', rpc('GetTask', {}, { id: {} }), {}, 200, -32600],
    ['params that are a list', rpc('GetTask', []), {}, 200, -32602],
    ['an unknown method', rpc('__proto__'), {}, 200, -32601],
    ['a method of the other version', rpc('message/send'), {}, 200, -32601],
    ['a method of 1.0 without a version', rpc('SendMessage'), { 'a2a-version': '' }, 200, -32601],
    ['an unknown version', rpc('GetTask'), { 'a2a-version': '2.0' }, 200, -32009],
    ['JSON 10,000 deep', `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":${nested(10_000)}}`, {}, 200, -32600],
    ['a message that is missing', rpc('SendMessage'), {}, 200, -32602],
    ['a message that is null', rpc('SendMessage', { message: null }), {}, 200, -32602],
    ['parts that are null', say([null]), {}, 200, -32602],
    ['no parts', say([]), {}, 200, -32602],
    ['a message without an id', say([{ text: 'x' }], { messageId: '' }), {}, 200, -32602],
    ['a message of the agent', say([{ text: 'x' }], { role: 'ROLE_AGENT' }), {}, 200, -32602],
    ['a context that is too long', say([{ text: 'x' }], { contextId: 'x'.repeat(300) }), {}, 200, -32602],
    ['a context with a lone surrogate', '{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","contextId":"\\ud800","parts":[{"text":"x"}]}}}', {}, 200, -32602], // prettier-ignore
    ['a file part', say([{ url: 'https://x.example' }]), {}, 200, -32005],
    ['a message of 300 KB', say([{ text: 'x'.repeat(300_000) }]), {}, 200, -32602],
    ['an unknown task', rpc('GetTask', { id: 'inv_00000000000000000000' }), {}, 200, -32001],
    ['a task id that is a list', rpc('GetTask', { id: ['x'] }), {}, 200, -32001],
    ['a forged page token', rpc('ListTasks', { pageToken: 'x' }), {}, 200, -32602],
    ['an unknown state', rpc('ListTasks', { status: 'TASK_STATE_X' }), {}, 200, -32602],
    ['a time that is none', rpc('ListTasks', { statusTimestampAfter: 'soon' }), {}, 200, -32602],
    ['a message of 0.3 without parts', legacy({ messageId: 'm', role: 'user', kind: 'message' }), { 'a2a-version': '0.3' }, 200, -32602], // prettier-ignore
    ['a message of 0.3 that is missing', legacy(undefined), { 'a2a-version': '0.3' }, 200, -32602],
    ['a part of 0.3 of an unknown kind', legacy({ messageId: 'm', role: 'user', parts: [{ kind: 'x' }] }), {'a2a-version': '0.3' }, 200, -32602], // prettier-ignore
    ['a file of 0.3', legacy({ messageId: 'm', role: 'user', parts: [{ kind: 'file', file: { uri: 'x' } }] }), {'a2a-version': '0.3' }, 200, -32005], // prettier-ignore
  ])('The request with %s gets the error of the specification', async (_, body, headers, status, code) => {
    const answer = await call(body, headers);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.text).not.toMatch(/\bat \w+.*:\d+:\d+|Cannot read|undefined/);
    expect(model.current.requests).toEqual([]);
  });

  it('A stream that cannot begin is a plain error', async () => {
    for (const body of [rpc('SendStreamingMessage'), rpc('SubscribeToTask', { id: 'x' })]) {
      const { headers, body: got } = await call(body);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(got).toMatchObject({ id: 7, error: { code: expect.any(Number) } });
    }
  });

  it('A body over the limit, of another type, or without a key keeps its status code', async () => {
    const large = await call(say([{ text: 'x'.repeat(1_200_000) }]));
    expect([large.status, large.body.error?.code]).toEqual([413, -32600]);
    const form = await call('a=b', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([form.status, form.body.error?.code]).toEqual([415, -32600]);
    const stranger = await call(rpc('GetTask'), { authorization: 'Bearer x' });
    expect([stranger.status, stranger.body.error?.code]).toEqual([401, -32600]);
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('An unknown agent, and one without a workflow, get 404 with a suggestion', async () => {
    const unknown = await call(rpc('GetTask'), {}, '/a2a/guid');
    expect([unknown.status, unknown.body]).toMatchObject([
      404,
      { id: 7, error: { message: expect.stringContaining("'guide'") } },
    ]);
    for (const agent of ['guide@^1', 'guide@1.0.0', '__proto__', 'constructor', '%2e%2e', 'x'.repeat(200)])
      expect((await call(rpc('GetTask'), {}, `/a2a/${agent}`)).status).toBe(404);
  });

  it('GET is not a method of the endpoint', async () => {
    const response = await fetch(`${stack.url}/a2a/guide`, { headers: { authorization: `Bearer ${KEYS.ada}` } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('Another tenant', () => {
  it('Another tenant can neither read, answer, cancel nor follow a task, nor push it', async () => {
    model.current.restart(['I ask.\n<ACTION><test:ask/></ACTION>']);
    const { body } = await call(say([{ text: 'Ask me' }], { messageId: 'secret' }));
    const { id } = (body.result as { task: { id: string } }).task;
    const bob = { authorization: `Bearer ${KEYS.bob}` };
    const requests = [
      rpc('GetTask', { id }),
      rpc('CancelTask', { id }),
      rpc('SubscribeToTask', { id }),
      say([{ text: 'x' }], { taskId: id }),
      rpc('CreateTaskPushNotificationConfig', { taskId: id, url: 'https://x.example' }),
      rpc('ListTaskPushNotificationConfigs', { taskId: id }),
      rpc('GetTaskPushNotificationConfig', { taskId: id, id: 'x' }),
      rpc('DeleteTaskPushNotificationConfig', { taskId: id, id: 'x' }),
      rpc('GetTask', { id, tenant: 'ada' }),
    ];
    for (const request of requests) expect((await call(request, bob)).body.error?.code).toBe(-32001);
    const list = await call(rpc('ListTasks', { tenant: 'ada' }), bob);
    expect(list.body.result).toMatchObject({ tasks: [], totalSize: 0 });
    const own = await call(say([{ text: 'Ask me' }], { messageId: 'secret' }));
    expect(own.body.result).toMatchObject({ task: { id } });
    await call(rpc('CancelTask', { id }));
  });
});

describe('The address in the card', () => {
  const card = async (...headers: string[]) => {
    const line = 'GET /a2a/guide/.well-known/agent-card.json HTTP/1.1';
    return sendRaw(stack.url, requestText(line, [`authorization: Bearer ${KEYS.ada}`, ...headers]));
  };

  it('The card has the address that the request called, and requires a key', async () => {
    const { body } = await card('host: agents.example');
    expect(JSON.parse(body)).toMatchObject({
      url: 'http://agents.example/a2a/guide',
      securitySchemes: { bearer: { scheme: 'bearer' } },
    });
    const keyless = await fetch(`${stack.url}/a2a/guide/.well-known/agent-card.json`);
    expect(keyless.status).toBe(401);
  });

  it.each([
    ['host: evil.example"onclick=', 400],
    ['host: evil.example/path', 400],
    ['host: user@evil.example', 400],
    ['host: evil.example\r\nhost: other.example', 400],
  ])('A request with %j is refused', async (header, status) => {
    expect((await card(header)).status).toBe(status);
  });

  it('X-Forwarded-Host is not believed', async () => {
    const { body } = await card('host: agents.example', 'x-forwarded-host: evil.example');
    expect(body).not.toContain('evil.example');
  });
});

describe('Without keys', () => {
  const one = onOneServer('Without keys: each shard has its part of the bound');
  const open = useStack({ ...one, library: turnLibrary(), env: { ...one.env, ERRAND_QUEUE_BOUND: '1' } });

  it('A foreign host gets no card, and ERRAND_PUBLIC_URL is the address', async () => {
    const url = await open.startApi({ ERRAND_PUBLIC_URL: 'https://errand.example' });
    const path = '/a2a/guide/.well-known/agent-card.json';
    const refused = await sendRaw(url, requestText(`GET ${path} HTTP/1.1`, ['host: rebound.example']));
    expect(refused.status).toBe(403);
    const card = (await (await fetch(`${url}${path}`)).json()) as object;
    expect(card).toMatchObject({ url: 'https://errand.example/a2a/guide' });
    expect(card).not.toHaveProperty('securitySchemes');
  });

  it('A full queue is 429 with Retry-After and an internal error of JSON-RPC, and leaves no push delivery', async () => {
    const begin = (messageId: string) =>
      fetch(`${open.url}/a2a/guide`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify(
          rpc('SendMessage', {
            message: { messageId, role: 'ROLE_USER', parts: [{ text: 'x' }] },
            configuration: { returnImmediately: true, taskPushNotificationConfig: { url: 'https://93.184.216.34/' } },
          }),
        ),
      });
    const first = await begin('1');
    expect(await first.json()).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_SUBMITTED' } } } });
    const second = await begin('2');
    expect([second.status, Number(second.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(await second.json()).toMatchObject({ id: 7, error: { code: -32603 } });
    expect(second.headers.get('retry-after')).not.toBeNull();
    const stored = await open.askServers((redis) => redis.keys('*:deliveries:msg_*'));
    expect(stored.flat()).toHaveLength(1);
  });
});
