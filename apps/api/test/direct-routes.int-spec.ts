import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sendRaw } from '../../../test/support/raw-exchange.js';
import { Client } from '../../../test/support/client.js';
import { Stack } from '../../../test/support/start-stack.js';
import { Metrics } from '@errand/platform';
import { startApi } from '../src/start.js';
import { openRequests, withCredentials, type CorpusRequest } from './request-corpus.js';

const [OPERATOR, ACME] = ['o'.repeat(24), 'a'.repeat(24)];
const KEYS = { ERRAND_API_KEYS: `${OPERATOR} acme:${ACME}` };

/** The two ways of serving: the direct routes, and Nest's pipeline for every request. Each has a Redis and a worker of its own. */
class Way {
  private readonly stack = new Stack({ with: ['worker'], env: { ERRAND_ALLOWED_ORIGINS: 'https://app.example' } });
  private readonly ids = new Map<string, string>();
  private servers!: { open: string; guarded: string };

  constructor(private readonly direct: boolean) {}

  async start(): Promise<void> {
    await this.stack.open();
    const { direct, stack } = this;
    const start = async (more: Record<string, string>) => {
      const env = { ...stack.env, ERRAND_LOG_LEVEL: 'fatal', ERRAND_PORT: '0', ...more };
      return stack.keep(await startApi(env, new Metrics(), { direct })).url;
    };
    this.servers = { open: await start({}), guarded: await start(KEYS) };
    const client = new Client(() => this.servers.open);
    const { id: ended } = await client.invoke({ toolId: 'core:echo', arguments: { value: 'x' } });
    const { id: large } = await client.invoke({ toolId: 'core:echo', arguments: { value: 'large '.repeat(1_000) } });
    const later = { toolId: 'core:echo', arguments: { value: 1 }, options: { delayMs: 3_600_000 } };
    const open = await client.submit(later);
    for (const [name, id] of Object.entries({ ended, large, open })) this.ids.set(`{${name}}`, id);
  }

  close = () => this.stack.close();

  /** The response to a request, without what differs between two servers. */
  async answer(server: 'open' | 'guarded', { method, target, headers, body }: CorpusRequest) {
    const head = [
      `${method} ${this.fill(target)} HTTP/1.1`,
      ...headers.map((line) => this.fill(line)),
      'connection: close',
    ];
    const chunks = headers.includes('transfer-encoding: chunked') ? ['2\r\n{}\r\n0\r\n\r\n'] : [];
    const bytes = [Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), ...(body ? [body] : []), ...chunks];
    return comparable(await sendRaw(this.servers[server], ...bytes));
  }

  private fill(text: string): string {
    const keys = text.replaceAll('{operator}', OPERATOR).replaceAll('{acme}', ACME);
    return [...this.ids].reduce((filled, [name, id]) => filled.replaceAll(name, id), keys);
  }
}

function comparable({ status, headers, body }: Awaited<ReturnType<typeof sendRaw>>) {
  const coding = headers.get('content-encoding');
  const isChunked = headers.get('transfer-encoding') === 'chunked';
  const text = unpack(isChunked ? withoutChunks(body) : body, coding);
  // The date differs, and so do the length of a compressed body and the digest of ids and times.
  const kept = [...headers].filter(([name]) => name !== 'date' && !(coding !== null && name === 'content-length'));
  return {
    status,
    headers: kept.map(([name, value]) => [name, name === 'etag' ? 'a tag' : withoutIds(value)]),
    body: withoutIds(text),
  };
}

function unpack(body: string, coding: string | null): string {
  const bytes = Buffer.from(body, 'latin1');
  if (coding === 'br') return brotliDecompressSync(bytes).toString();
  return (coding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

/** The bytes of a chunked body (RFC 9112, 7.1), as latin1. */
function withoutChunks(body: string): string {
  let text = '';
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.slice(at, end), 16);
    if (!(length > 0)) return text;
    text += body.slice(end + 2, end + 2 + length);
    at = end + 2 + length + 2;
  }
}

const withoutIds = (text: string) =>
  text
    .replaceAll(/\b(inv|bat)_[0-9a-z]{39}/g, '$1_id')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'time')
    .replaceAll(/"etaMs":\d+/g, '"etaMs":0');

describe('The direct routes and Nest', () => {
  const [direct, nest] = [new Way(true), new Way(false)];
  beforeAll(() => Promise.all([direct.start(), nest.start()]));
  afterAll(() => Promise.all([direct.close(), nest.close()]));

  const open = openRequests();
  const guarded = withCredentials();

  it('The corpus has at least 300 requests, with every class of status', async () => {
    expect(open.length + guarded.length).toBeGreaterThanOrEqual(300);
    const statuses = new Set<number>();
    for (const request of open.slice(0, 100)) statuses.add((await direct.answer('open', request)).status);
    for (const status of [200, 202, 400, 413, 422]) expect(statuses).toContain(status);
  });

  it.each(open.map((request) => [request.name, request] as const))(
    'Both ways answer a request without a key identically: %s',
    async (_, request) => {
      expect(await direct.answer('open', request)).toEqual(await nest.answer('open', request));
    },
  );

  it.each(guarded.map((request) => [request.name, request] as const))(
    'Both ways answer a request to a server with keys identically: %s',
    async (_, request) => {
      expect(await direct.answer('guarded', request)).toEqual(await nest.answer('guarded', request));
    },
  );

  it.each(['wait=20', 'wait="20"', 'respond-async, wait=20'])(
    'Both ways answer alike when the invocation has ended, with Prefer: %s',
    async (prefer) => {
      for (const [target, body] of [
        ['/v1/invocations', { toolId: 'core:echo', arguments: { value: 'x' } }],
        ['/v1/invocations', { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } }],
        ['/v1/invocations', { calls: ['a', 'b'].map((value) => ({ toolId: 'core:echo', arguments: { value } })) }],
        ['/v1/invocations/batch', { items: [{ toolId: 'core:echo', arguments: { value: 1 } }, { toolId: 'no:tool' }] }],
      ] as const) {
        const bytes = Buffer.from(JSON.stringify(body));
        const headers = [
          'host: localhost',
          'content-type: application/json',
          `prefer: ${prefer}`,
          `content-length: ${bytes.length}`,
        ];
        const request = { name: '', method: 'POST', target, headers, body: bytes };
        const answer = await direct.answer('open', request);
        expect(answer.status).toBe(200);
        expect(answer).toEqual(await nest.answer('open', request));
      }
    },
  );
});
