import { LibraryReloads } from '../tools/library-providers.js';
import { McpListResponses, type McpListRequest } from './mcp-list-responses.js';

const HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28' };
const TOOLS = { json: Buffer.from('[{"name":"größe"}]'), isKept: true };

function setup() {
  const reloads = new LibraryReloads();
  const lists = new McpListResponses(reloads);
  const read = (more: object = {}, headers: object = {}, agent?: string) =>
    lists.read({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...more }, { ...HEADERS, ...headers }, agent);
  return { reloads, lists, read };
}

function required(request: McpListRequest | undefined): McpListRequest {
  if (!request) throw new Error('the message is no list');
  return request;
}

/** The response that the SDK gives to a request, whose list is empty. */
function sdkResponse({ id }: McpListRequest, result: object = { ttlMs: 1, tools: [], note: '"tools":[]' }): Response {
  return Response.json({ result, jsonrpc: '2.0', id });
}

function eventOf(response: Response): Promise<Response> {
  const headers = { 'content-type': 'text/event-stream' };
  return response.text().then((json) => new Response(`event: message\ndata: ${json}\n\n`, { headers }));
}

/** The body that `sendMcpList` sends for a kept response. */
function repeated(lists: McpListResponses, request: McpListRequest): string | undefined {
  const known = lists.find(request);
  return known && Buffer.concat(known.parts).toString() + JSON.stringify(request.id) + known.end;
}

describe('The responses to tools/list', () => {
  it.each([1, -7, 'a', '', '"tools":[]', ',"id":1}', '1,"result":{}', '\n\n', '\ud800', 'größe'])(
    'The id %j is repeated as the SDK would write it, and the tools take the place of the empty list only',
    async (id) => {
      const { lists, read } = setup();
      const first = { ...required(read()), tools: TOOLS };
      await lists.complete(first, Promise.resolve(sdkResponse(first)));
      const again = { ...required(read({ id })), tools: TOOLS };
      const whole = await lists.complete(again, Promise.resolve(sdkResponse(again)));
      const text = await whole.text();
      expect(repeated(lists, again)).toBe(text);
      const result = { ttlMs: 1, tools: [{ name: 'größe' }], note: '"tools":[]' };
      expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id, result });
    },
  );

  it('An event is repeated with the headers and the blank line that end it', async () => {
    const { lists, read } = setup();
    const first = { ...required(read()), tools: TOOLS };
    const whole = await lists.complete(first, eventOf(sdkResponse(first)));
    expect(repeated(lists, first)).toBe(await whole.text());
    expect(lists.find(first)?.headers).toEqual({ 'content-type': 'text/event-stream' });
    expect(repeated(lists, required(read({ id: 2 })))).toMatch(/^event: message\ndata: .*,"id":2}\n\n$/);
  });

  it('Requests that differ in anything but the id share no response', async () => {
    const { lists, read } = setup();
    const first = { ...required(read()), tools: TOOLS };
    await lists.complete(first, Promise.resolve(sdkResponse(first)));
    expect(lists.find(required(read({ id: 'other' })))).toBeDefined();
    const others = [
      read({ params: {} }),
      read({ params: { cursor: 'x' } }),
      read({}, { accept: 'application/json' }),
      read({}, { 'mcp-protocol-version': '2025-11-25' }),
      read({}, {}, 'clerk'),
    ];
    for (const other of others) expect(lists.find(required(other))).toBeUndefined();
  });

  it.each([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]],
    ['a notification', { jsonrpc: '2.0', method: 'tools/list' }],
    ['an id that is no integer', { jsonrpc: '2.0', id: 1.5, method: 'tools/list' }],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'tools/list' }],
    ['a further field', { jsonrpc: '2.0', id: 1, method: 'tools/list', result: {} }],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'tools/list' }],
    ['another method', { jsonrpc: '2.0', id: 1, method: 'tools/call' }],
    ['no message', 'tools/list'],
  ])('A message is left to the SDK: %s', (_what, body) => {
    expect(setup().lists.read(body, HEADERS, undefined)).toBeUndefined();
  });

  it('A change of the library drops the kept responses, and those that were on their way', async () => {
    const { reloads, lists, read } = setup();
    const [first, late] = [required(read()), required(read({ params: {} }))].map((each) => ({ ...each, tools: TOOLS }));
    if (!first || !late) throw new Error('two requests');
    await lists.complete(first, Promise.resolve(sdkResponse(first)));
    reloads.emit('reload');
    await lists.complete(late, Promise.resolve(sdkResponse(late)));
    expect([lists.find(first), lists.find(late)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['an error', (request: McpListRequest) => Response.json({ jsonrpc: '2.0', id: request.id, error: { code: 1 } })],
    ['a refusal', ({ id }: McpListRequest) => Response.json({ result: { tools: [] }, id }, { status: 400 })],
    ['an id in another place', ({ id }: McpListRequest) => Response.json({ id, result: { tools: [] } })],
  ])('A response that is not kept comes whole: %s', async (_what, make) => {
    const { lists, read } = setup();
    const request = { ...required(read()), tools: TOOLS };
    const expected = (await make(request).text()).replace('"tools":[]', '"tools":[{"name":"größe"}]');
    const whole = await lists.complete(request, Promise.resolve(make(request)));
    expect([await whole.text(), whole.status]).toEqual([expected, make(request).status]);
    expect(lists.find(request)).toBeUndefined();
  });

  it('A kept response does not hold the body with the id of the first request', async () => {
    const { lists, read } = setup();
    const first = { ...required(read({ id: 'x'.repeat(1_000_000) })), tools: TOOLS };
    await lists.complete(first, Promise.resolve(sdkResponse(first)));
    const sizes = lists.find(first)?.parts.map(({ buffer }) => buffer.byteLength);
    expect(Math.max(...(sizes ?? [Infinity]))).toBeLessThanOrEqual(Buffer.poolSize);
  });

  it('Pages that the catalogue does not keep and long requests are not kept, and the number of responses is bounded', async () => {
    const { lists, read } = setup();
    const offer = async (request: McpListRequest, tools = TOOLS) => {
      await lists.complete({ ...request, tools }, Promise.resolve(sdkResponse(request)));
      return lists.find(request) !== undefined;
    };
    expect(await offer(required(read()), { ...TOOLS, isKept: false })).toBe(false);
    expect(await offer(required(read({ params: { x: 'x'.repeat(5_000) } })))).toBe(false);
    const requests = Array.from({ length: 1_025 }, (_, n) => required(read({ params: { n } })));
    for (const request of requests) expect(await offer(request)).toBe(true);
    expect(requests.filter((request) => lists.find(request) === undefined)).toEqual([requests[0]]);
  });
});
