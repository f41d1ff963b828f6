import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { eventually } from '../../../test/support/eventually.js';
import { openRaw, requestText, sendRaw } from '../../../test/support/raw-exchange.js';
import { useStack } from '../../../test/support/start-stack.js';

const [ACME, CORP] = ['a'.repeat(24), 'c'.repeat(24)];
const stack = useStack({
  with: ['worker'],
  examples: true,
  library: { 'agents/small.json': { id: 'small', displayName: 'Small', tool_ids_inventory: ['core:echo'] } },
});
const { client } = stack;

type Headers = Record<string, string>;
const read = (path: string, headers: Headers = {}, origin = stack.url) => fetch(origin + path, { headers });
const tagOf = async (path: string, headers: Headers = {}, origin = stack.url) =>
  (await read(path, headers, origin)).headers.get('etag');

describe('The tag of a response', () => {
  it.each([
    '/v1/tools',
    '/api/tools?limit=3',
    '/v1/tools?agent=small',
    '/v1/tools/core:echo',
    '/v1/tools/core:echo/graph',
    '/v1/tools/problems',
    '/v1/tools/prompt',
    '/v1/tools/prompt?format=openai',
    '/docs-json',
  ])('A client that has the response of %s gets 304 without a body', async (path) => {
    const first = await read(path);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.headers.get('vary')).toMatch(/Origin.*accept-encoding.*Authorization/);
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await read(path, { 'if-none-match': known });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(tag);
      expect(again.headers.get('vary')).toBe(first.headers.get('vary'));
      expect(again.headers.get('content-type')).toBeNull();
    }
    for (const other of ['"other"', `${tag.slice(2, -1)}x"`, 'nonsense'])
      expect((await read(path, { 'if-none-match': other })).status).toBe(200);
    const head = await fetch(stack.url + path, { method: 'HEAD', headers: { 'if-none-match': tag } });
    expect(head.status).toBe(304);
  });

  it('The tag is the same with and without compression', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map((coding) => tagOf('/v1/tools', { 'accept-encoding': coding })),
    );
    expect(new Set(tags).size).toBe(1);
  });

  it('Responses for different agents, filters and tenants have different tags', async () => {
    const paths = ['', '?agent=small', '?agent=demo', '?q=text', '?limit=2', '?limit=3'].map((query) =>
      tagOf(`/v1/tools${query}`),
    );
    const guarded = await stack.startApi({ ERRAND_API_KEYS: `acme:${ACME} corp:${CORP}` });
    const tenants = [ACME, CORP].map((key) => tagOf('/v1/tools', { authorization: `Bearer ${key}` }, guarded));
    const tags = await Promise.all([...paths, ...tenants]);
    expect(new Set(tags).size).toBe(tags.length);
    const anonymous = await read('/v1/tools', { 'if-none-match': '*' }, guarded);
    expect([anonymous.status, anonymous.headers.get('etag')]).toEqual([401, null]);
  });

  it('An invocation has a tag when it has ended, and never for another tenant', async () => {
    const waiting = await client.submit({ toolId: 'core:delay', arguments: { ms: 600_000 } });
    expect(await tagOf(`/v1/invocations/${waiting}`)).toBeNull();
    expect((await read(`/v1/invocations/${waiting}`, { 'if-none-match': '*' })).status).toBe(200);
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value: 'hello' } });
    const tag = (await tagOf(`/v1/invocations/${id}`)) ?? '';
    expect((await read(`/v1/invocations/${id}?wait=5`, { 'if-none-match': tag })).status).toBe(304);
    await client.cancel(waiting);
    await client.untilEnded(waiting);
    expect(await tagOf(`/v1/invocations/${waiting}`)).not.toBeNull();
    const guarded = await stack.startApi({ ERRAND_API_KEYS: `acme:${ACME}` });
    const foreign = await read(
      `/v1/invocations/${id}`,
      { authorization: `Bearer ${ACME}`, 'if-none-match': '*' },
      guarded,
    );
    expect([foreign.status, foreign.headers.get('etag')]).toEqual([404, null]);
  });

  it.each(['/v1/invocations', '/healthz', '/v1/tools/core:ecko', '/docs', '/metrics'])(
    'The response of %s has no tag',
    async (path) => {
      expect(await tagOf(path)).toBeNull();
      expect((await read(path, { 'if-none-match': '*' })).status).not.toBe(304);
    },
  );
});

describe('The compression of responses', () => {
  const ask = (path: string, ...headers: string[]) =>
    sendRaw(stack.url, requestText(`GET ${path} HTTP/1.1`, ['host: localhost', 'connection: close', ...headers]));
  /** The bytes of a body, without the compression of the client. */
  const bytesOf = async (path: string, coding: string) => {
    const { request } = await import('node:http');
    type Body = { status: number | undefined; coding: string | undefined; vary: string | undefined; bytes: Buffer };
    return new Promise<Body>((resolve, reject) => {
      request(stack.url + path, { headers: { 'accept-encoding': coding } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            coding: response.headers['content-encoding'],
            vary: response.headers.vary,
            bytes: Buffer.concat(chunks),
          }),
        );
      })
        .on('error', reject)
        .end();
    });
  };

  it.each(['/v1/tools', '/v1/tools/prompt', '/docs-json', '/docs/assets/swagger-ui-bundle.js', '/metrics'])(
    'The response of %s is compressed as the client asks',
    async (path) => {
      const { bytes: plain, coding } = await bytesOf(path, 'identity');
      expect(coding).toBeUndefined();
      for (const [asked, used, unpack] of [
        ['gzip', 'gzip', gunzipSync],
        ['br', 'br', brotliDecompressSync],
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip;q=1, br;q=0', 'gzip', gunzipSync],
        ['*', 'gzip', gunzipSync],
      ] as const) {
        const packed = await bytesOf(path, asked);
        expect([asked, packed.coding]).toEqual([asked, used]);
        expect(packed.vary).toMatch(/Origin.*accept-encoding/);
        expect(packed.bytes.length).toBeLessThan(plain.length);
        // The metrics change between two requests.
        if (path !== '/metrics') expect(unpack(packed.bytes).equals(plain)).toBe(true);
        else expect(unpack(packed.bytes).toString()).toContain('# HELP');
      }
      for (const asked of ['identity', 'gzip;q=0', 'deflate', 'nonsense'])
        expect((await bytesOf(path, asked)).coding).toBeUndefined();
    },
  );

  it('Responses below 2 KiB, problems and the invocation of one call among them, are not compressed', async () => {
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value: 'hello' } });
    for (const path of ['/healthz', '/v1/nothing', '/v1/tools/core:ecko', '/docs', `/v1/invocations/${id}`])
      expect((await bytesOf(path, 'gzip, br')).coding).toBeUndefined();
  });

  it('A large invocation arrives whole, and other requests are served meanwhile', async () => {
    const values = Array.from({ length: 12 }, (_, index) => `${index} `.repeat(20_000));
    const { id } = await client.invoke({
      calls: values.map((value) => ({ toolId: 'core:echo', arguments: { value } })),
    });
    const path = `/v1/invocations/${id}`;
    const plain = (await bytesOf(path, 'identity')).bytes;
    expect(plain.length).toBeGreaterThan(500_000);
    // On a busy machine, Redis may need too long for all of them: 503.
    const readWhole = () =>
      eventually(async () => {
        const body = await bytesOf(path, 'br');
        return body.status !== 503 && body;
      });
    const packed = await Promise.all(Array.from({ length: 8 }, readWhole));
    for (const { bytes } of packed) expect(brotliDecompressSync(bytes).equals(plain)).toBe(true);
    expect((await read('/healthz')).status).toBe(200);
  });

  it('An event stream is never compressed', async () => {
    const { id } = await client.invoke({
      calls: Array.from({ length: 20 }, (_, value) => ({ toolId: 'core:echo', arguments: { value } })),
    });
    const { coding, bytes } = await bytesOf(`/v1/invocations/${id}/events`, 'gzip, br');
    expect(coding).toBeUndefined();
    expect(bytes.toString()).toContain('event: end');
  });

  it('A client that disconnects during a compressed response leaves the API running', async () => {
    const { socket, has } = await openRaw(stack.url);
    socket.write(
      requestText('GET /docs/assets/swagger-ui-bundle.js HTTP/1.1', ['host: localhost', 'accept-encoding: br']),
    );
    await has('content-encoding: br');
    socket.destroy();
    expect((await read('/v1/tools')).status).toBe(200);
  });

  it.each(['gzip', 'br', 'deflate', 'zstd', 'identity, gzip'])(
    'A request body in the coding %s is refused before it is unpacked',
    async (coding) => {
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      const response = await fetch(`${stack.url}/v1/invocations`, {
        method: 'POST',
        body: bomb,
        headers: { 'content-type': 'application/json', 'content-encoding': coding },
      });
      expect(response.status).toBe(415);
      expect(response.headers.get('content-encoding')).toBeNull();
    },
  );

  it('Problems keep the CORS headers and Vary of each response', async () => {
    const { headers } = await ask('/v1/nothing', 'accept-encoding: br');
    expect(headers.get('vary')).toMatch(/Origin.*accept-encoding/);
  });
});
