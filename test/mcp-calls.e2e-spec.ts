import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './support/eventually.js';
import { OFFICE } from './support/mcp-library.js';
import { askMcp, connectMcp, invocationIdIn as idOf, REVISIONS, sendMcp } from './support/mcp-client.js';
import { useStack } from './support/start-stack.js';

/** The MCP server, by its official client over real HTTP. */
const stack = useStack({ with: ['worker'], library: OFFICE });
const at = (path = '') => `${stack.url}/mcp${path}`;
const file = (name: string) => join(stack.folder, name);
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISIONS[0],
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe.each(REVISIONS)('A client of revision %s', (revision) => {
  const connect = (path?: string) => connectMcp(at(path), { revision });

  it('It lists the tools by their names for MCP, sorted, with schemas and annotations', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(tools.find(({ name }) => name === 'report.progress')).toMatchObject({
      title: 'Report',
      description: 'Reports its progress.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object', properties: { done: { type: 'boolean' } } },
      annotations: { readOnlyHint: true },
    });
    const { body: echo } = await stack.client.get('/v1/tools/core:echo');
    expect(tools.find(({ name }) => name === 'core__echo')?.inputSchema).toEqual(echo['parameters']);
    await client.close();
  });

  it('A call is an invocation, and a text is a text', async () => {
    const client = await connect();
    const result = await client.callTool({ name: 'core__echo', arguments: { value: 'hi' } });
    expect(result.content).toEqual([{ type: 'text', text: 'hi' }]);
    expect(result.structuredContent).toBeUndefined();
    expect(await stack.client.read(idOf(result))).toMatchObject({ status: 'succeeded', result: 'hi' });
    await client.close();
  });

  it('An object is JSON text and structured content, and content of a tool passes as it is', async () => {
    const client = await connect();
    expect(await client.callTool({ name: 'report.progress', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: '{"done":true}' }],
      structuredContent: { done: true },
    });
    expect((await client.callTool({ name: 'office__picture', arguments: {} })).content).toEqual([
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    ]);
    await client.close();
  });

  it('Wrong arguments and a failed tool are results that a model can read', async () => {
    const client = await connect();
    expect(await client.callTool({ name: 'core__echo', arguments: { valeu: 1 } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Observation: Error - Invalid parameters .*did you mean 'value'/) }],
    });
    const failed = await client.callTool({ name: 'core__math', arguments: { op: 'divide', a: 1, b: 0 } });
    const { observation } = await stack.client.read(idOf(failed));
    expect(failed).toMatchObject({ isError: true, content: [{ text: observation }] });
    await client.close();
  });

  it('An unknown tool is an error of the protocol with the nearest name', async () => {
    const client = await connect();
    for (const name of ['core__ecko', '__proto__', 'constructor'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await expect(client.callTool({ name: 'core__ecko' })).rejects.toThrow("did you mean 'core__echo'?");
    await client.close();
  });

  it('Progress begins with 0, never goes back, and ends with 100', async () => {
    const client = await connect();
    const seen: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
    await client.callTool(
      { name: 'report.progress', arguments: {} },
      { onprogress: (progress) => seen.push(progress) },
    );
    expect(seen.map(({ progress }) => progress)).toEqual([0, 25, 75, 100]);
    expect(seen[1]).toEqual({ progress: 25, total: 100, message: 'at 0.25' });
    await client.close();
  });

  it('The endpoint of an agent has its inventory, and its calls are calls of the agent', async () => {
    const client = await connect('/clerk');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['core__echo', 'office__ask']);
    await expect(client.callTool({ name: 'office__picture', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    const result = await client.callTool({ name: 'core__echo', arguments: { value: 1 } });
    expect(await stack.client.read(idOf(result))).toMatchObject({ agent: 'clerk' });
    await client.close();
  });

  it('A call in the fields of `_meta` has a session, options, and a key under which it runs once', async () => {
    const client = await connect();
    const meta = { 'errand/session': 's', 'errand/idempotencyKey': `k-${revision}`, 'errand/options': { priority: 3 } };
    const call = () => client.callTool({ name: 'core__echo', arguments: { value: 1 }, _meta: meta });
    const [one, other] = [await call(), await call()];
    expect(idOf(one)).toBe(idOf(other));
    expect(await stack.client.read(idOf(one))).toMatchObject({ session: 's' });
    for (const wrong of [{ 'errand/sesion': 's' }, { 'errand/options': { priority: 0 } }, { 'errand/session': 7 }])
      await expect(
        client.callTool({ name: 'core__echo', arguments: { value: 1 }, _meta: wrong }),
      ).rejects.toMatchObject({
        code: -32602,
      });
    await client.close();
  });

  it('A large result comes whole', async () => {
    const client = await connect();
    const value = 'word '.repeat(60_000);
    expect((await client.callTool({ name: 'core__echo', arguments: { value } })).content).toEqual([
      { type: 'text', text: value },
    ]);
    await client.close();
  });
});

describe('A client that closes the response of a running call', () => {
  /** Sends a call without an SDK, and closes its connection by the signal. */
  const hold = (revision: string, args: object, session: string, signal: AbortSignal) => {
    const params = { name: 'gate__hold', arguments: args, _meta: { 'errand/session': session } };
    if (revision === REVISIONS[0]) return sendMcp(at(), { method: 'tools/call', params, signal });
    return fetch(at(), {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
      },
      signal,
    });
  };

  it.each(REVISIONS)('In revision %s the call is cancelled, and the tool stops', async (revision) => {
    const [open, left, session] = [file('never-opened'), file(`closed-${revision}`), `closing-${revision}`];
    const controller = new AbortController();
    const call = hold(revision, { open, left }, session, controller.signal)
      .then((response) => response.text())
      .catch((error: unknown) => error);
    await eventually(() => existsSync(`${left}.begun`), 'the call runs');
    controller.abort();
    await call;
    const cancelled = await eventually(async () => {
      const path = `/v1/invocations?session=${session}`;
      const { body } = await stack.client.get<{ items: { status: string; id: string }[] }>(path);
      return body.items[0]?.status === 'cancelled' && body.items[0];
    }, 'the invocation is cancelled');
    expect(await stack.client.read(cancelled.id)).toMatchObject({
      error: { type: 'CancelledError', message: expect.stringContaining('the MCP client closed the response') },
    });
  });

  it('A call that has ended is not affected', async () => {
    const response = await sendMcp(at(), {
      method: 'tools/call',
      params: { name: 'core__echo', arguments: { value: 1 } },
    });
    const { result } = (await response.json()) as { result: { _meta: unknown } };
    expect(await stack.client.read(idOf(result))).toMatchObject({ status: 'succeeded' });
  });
});

describe('The list of tools', () => {
  const many = Object.fromEntries(
    Array.from({ length: 410 }, (_, n) => [
      `plugins/p${n}/plugin.yaml`,
      `name: p${n}\nversion: 1.0.0\ntools: [{ id: 'p${n}:t', description: d, implementation: { type: external } }]\n`,
    ]),
  );
  const large = useStack({ library: many });

  it('It has pages of 200 with hints for caches, and the pages together are the whole list', async () => {
    const pages: { tools: { name: string }[]; nextCursor?: string }[] = [];
    do {
      const cursor = pages.at(-1)?.nextCursor;
      const { result } = await askMcp(`${large.url}/mcp`, { method: 'tools/list', params: cursor ? { cursor } : {} });
      expect(result).toMatchObject({ cacheScope: 'private', ttlMs: expect.any(Number) });
      pages.push(result as unknown as (typeof pages)[number]);
    } while (pages.at(-1)?.nextCursor !== undefined);
    expect(pages.slice(0, 2).map(({ tools }) => tools.length)).toEqual([200, 200]);
    const names = pages.flatMap(({ tools }) => tools.map(({ name }) => name));
    const { body } = await large.client.get<{ items: object[] }>('/v1/tools');
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(names).toHaveLength(body.items.length);
  });

  it('A cursor that no page has given is refused', async () => {
    for (const cursor of ['x', '', Buffer.from('name').toString('base64url'), 'YWZ0ZXI6YQ=='])
      expect((await askMcp(at(), { method: 'tools/list', params: { cursor } })).error).toMatchObject({ code: -32602 });
  });

  it.each(REVISIONS)(
    'A request of revision %s that comes again gets the same list with its own id',
    async (revision) => {
      const params = revision === REVISIONS[0] ? { _meta: META } : {};
      const ask = async (id: unknown) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params });
        const headers = { ...HEADERS, 'mcp-protocol-version': revision, 'mcp-method': 'tools/list' };
        const response = await fetch(`${large.url}/mcp`, { method: 'POST', body, headers });
        const text = await response.text();
        return { status: response.status, type: response.headers.get('content-type'), text };
      };
      const first = await ask(7);
      expect(JSON.parse(/{.*}/.exec(first.text)?.[0] ?? '')).toMatchObject({
        id: 7,
        result: { tools: { length: 200 } },
      });
      for (const id of [8, 'größe', '"tools":[]', '},"id":9}']) {
        const text = first.text.replace(/"id":7}(\s*)$/, (_all, end: string) => `"id":${JSON.stringify(id)}}${end}`);
        expect(await ask(id)).toEqual({ ...first, text });
      }
      expect(await ask(1.5)).toMatchObject({ status: 400 });
    },
  );

  it.each(REVISIONS)('A tool of a new file is in the next list of a client of revision %s', async (revision) => {
    const client = await connectMcp(at(), { revision });
    const names = async () =>
      (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map(({ name }) => name);
    const id = `late${revision.slice(0, 4)}`;
    for (let n = 0; n < 2; n++) expect(await names()).not.toContain(`${id}__t`);
    const plugin = join(stack.folder, `library/plugins/${id}`);
    mkdirSync(plugin, { recursive: true });
    const tool = `{ id: '${id}:t', description: d, implementation: { type: external } }`;
    writeFileSync(join(plugin, 'plugin.yaml'), `name: ${id}\nversion: 1.0.0\ntools: [${tool}]\n`);
    await eventually(async () => (await names()).includes(`${id}__t`), 'the new tool is listed');
    await client.close();
  });

  it('A client that listens gets a notification when the library changes', async () => {
    const client = await connectMcp(at());
    let changes = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void changes++);
    const subscription = await client.listen({ toolsListChanged: true });
    writeFileSync(
      join(stack.folder, 'library/agents/other.json'),
      JSON.stringify({ id: 'other', tool_ids_inventory: ['core:*'] }),
    );
    await eventually(() => changes > 0, 'the notification');
    await subscription.close();
    await client.close();
  });
});
