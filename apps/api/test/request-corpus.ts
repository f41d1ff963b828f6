/** One request of the corpus. `{ended}`, `{open}`, `{large}` and `{batch}` in its target are ids of the server. */
export interface CorpusRequest {
  name: string;
  method: string;
  target: string;
  headers: readonly string[];
  body: Buffer | undefined;
}

const [SUBMIT, BATCH] = ['/v1/invocations', '/v1/invocations/batch'];
const ECHO = { toolId: 'core:echo', arguments: { value: 'x' } };
const JSON_TYPE = 'content-type: application/json';
const HOST = 'host: localhost';

interface Parts {
  method?: string;
  headers?: readonly string[];
  body?: unknown;
  host?: string;
}

function requestOf(name: string, target: string, { method = 'POST', headers = [], body, host = HOST }: Parts) {
  const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(textOf(body));
  const all = [...(host === '' ? [] : [host]), ...headers, ...(bytes ? [`content-length: ${bytes.length}`] : [])];
  return { name: `${method} ${target}: ${name}`, method, target, headers: all, body: bytes };
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
const shown = (value: unknown) => textOf(value ?? null).slice(0, 60);

/** Bodies of a submission. Texts are sent unchanged. */
const BODIES: readonly unknown[] = [
  ECHO,
  { ...ECHO, toolId: 'core:echo@^1' },
  { ...ECHO, toolId: 'core:echo@^99' },
  { ...ECHO, toolId: 'core:ecko' },
  { ...ECHO, toolId: '' },
  { ...ECHO, toolId: 'x'.repeat(300) },
  { ...ECHO, toolId: 7 },
  { ...ECHO, toolId: null },
  { toolId: 'core:echo' },
  { toolId: 'core:echo', arguments: [] },
  { toolId: 'core:echo', arguments: 'x' },
  { toolId: 'core:echo', arguments: null },
  { toolId: 'core:math', arguments: { op: 'add', a: 1, b: '2' } },
  { toolId: 'core:math', arguments: { op: 'ad', a: 1, b: 2 } },
  { toolId: 'core:math', arguments: { op: 'add', a: 1, b: 2, c: 3 } },
  { arguments: { value: 1 } },
  {},
  { calls: [] },
  { calls: [ECHO, ECHO, ECHO] },
  { calls: [ECHO, { toolId: 'core:ecko' }] },
  { calls: Array.from({ length: 1_001 }, () => ECHO) },
  { calls: 'x' },
  { calls: [null, 1, []] },
  { calls: [{ ...ECHO, onError: 'sometimes' }] },
  { calls: [{ ...ECHO, extra: 1 }] },
  { ...ECHO, calls: [ECHO] },
  { text: 'nothing to call here' },
  { text: '' },
  { text: 5 },
  { text: '<action><tool_call>broken' },
  { text: 'hello', protocol: 'vpc' },
  { message: {} },
  { message: { role: 'assistant', tool_calls: [] } },
  { message: 'text' },
  { ...ECHO, agent: 'missing' },
  { ...ECHO, agent: 'not an id' },
  { ...ECHO, session: '' },
  { ...ECHO, session: 's'.repeat(257) },
  '{"toolId":"core:echo","arguments":{"value":1},"session":"\\ud800"}',
  { ...ECHO, session: 'one session' },
  { ...ECHO, metadata: { order: 1, deep: { a: [1, 2, 3] } } },
  { ...ECHO, metadata: [] },
  { ...ECHO, metadata: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`field${n}`, n])) },
  { ...ECHO, metadata: { ['x'.repeat(300)]: 1 } },
  '{"toolId":"core:echo","arguments":{"__proto__":{"a":1},"constructor":{"b":2},"value":3}}',
  '{"toolId":"core:echo","arguments":{"value":{"__proto__":1,"constructor":2,"hasOwnProperty":3}}}',
  '{"__proto__":{"toolId":"core:echo"},"toolId":"core:echo"}',
  '{"constructor":{"prototype":{"x":1}},"toolId":"core:echo"}',
  '{"toolId":"core:echo","toolId":"core:math"}',
  { ...ECHO, options: { priority: 1 } },
  { ...ECHO, options: { priority: 0 } },
  { ...ECHO, options: { priority: 1.5 } },
  { ...ECHO, options: { delayMs: 3_600_000 } },
  { ...ECHO, options: { delayMs: -1 } },
  { ...ECHO, options: { timeoutMs: 1_000, attempts: 3, backoff: { type: 'fixed', delayMs: 10 } } },
  { ...ECHO, options: { backoff: { type: 'linear', delayMs: 10 } } },
  { ...ECHO, options: { prioritty: 1 } },
  { ...ECHO, options: [] },
  { ...ECHO, options: null },
  { ...ECHO, callback: { url: 'http://127.0.0.1/' } },
  { ...ECHO, callback: { url: 'ftp://example.com/' } },
  { ...ECHO, callback: { url: 'https://user:pass@example.com/' } },
  { ...ECHO, callback: { url: 'https://example.com/hook', events: ['invocation.sent'] } },
  { ...ECHO, callback: { url: 'https://example.com/hook', secret: 'short' } },
  { ...ECHO, attachments: [{ name: '../a', base64: 'AAAA' }] },
  { ...ECHO, attachments: [{ name: 'a.txt', base64: '!' }] },
  { ...ECHO, attachments: [{ name: 'a.txt', base64: 'YQ==', contentType: 'text/plain' }] },
  { ...ECHO, tool: 'core:echo' },
  { ...ECHO, sesion: 'x' },
  { toolId: 'core:echo', arguments: { value: '{{job:inv_00000000000000000000000000}}' } },
  { toolId: 'core:echo', arguments: { value: 'v'.repeat(3_000) } },
  { toolId: 'core:echo', arguments: { value: '漢字 🎉 "quoted" \\ \u2028' } },
  [],
  null,
  '1',
  '"text"',
  'true',
  '',
  '{',
  '{"toolId":"core:echo",}',
  "{'toolId':'core:echo'}",
  '\uFEFF{"toolId":"core:echo","arguments":{"value":1}}',
  '{"toolId":"core:echo","arguments":{"value":1e999}}',
  '{"toolId":"core:echo","arguments":{"value":12345678901234567890}}',
  '{"toolId":"core:echo","arguments":{"value":NaN}}',
  Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
  Buffer.from('{"toolId":"core:echo","arguments":{"value":"\u00e9"}}', 'latin1'),
  `{"toolId":"core:echo","arguments":{"value":${'['.repeat(200)}${']'.repeat(200)}}}`,
  `{"a":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`,
  `{"toolId":"core:echo","arguments":{"value":"${'x'.repeat(1_100_000)}"}}`,
];

const PREFERENCES = [
  'wait=0',
  'wait=1e3',
  'wait=-1',
  'wait="0"',
  'wait=',
  'wait',
  'WAIT = 0',
  'respond-async, wait=0',
  'respond-async; wait=x',
  'wait=0.0',
  'handling=lenient',
  '',
  'wait=0, wait=60',
  `wait=${'9'.repeat(50)}x`,
];
const KEYS = ['k1', 'a-key', '', 'two words', 'x'.repeat(255), 'y'.repeat(256), 'caf\u00e9', '"quoted"', '\u007f'];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; charset=utf-7',
  'APPLICATION/JSON',
  'application/merge-patch+json',
  'application/ld+json',
  'text/plain',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; broken',
  '',
  ';',
  'application/json, text/plain',
];
const CODINGS = ['gzip', 'br', 'identity', 'IDENTITY', 'deflate, gzip', '', 'x'.repeat(100)];
const ACCEPTED_CODINGS = ['gzip', 'br', 'gzip, br;q=0', 'identity', '*', 'nonsense', ''];
const ORIGINS = [
  'http://localhost',
  'https://app.example',
  'https://evil.example',
  'null',
  'http://localhost:1',
  '',
  'x, y',
];
const HOSTS = [
  'host: localhost:3000',
  'host: evil.example',
  'host: 127.0.0.1',
  'host: [::1]',
  'host: a b',
  'host:',
  '',
];
const TENANTS = ['acme', 'Acme', '', 'a'.repeat(64), 'acme, corp', '*', 'default'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND'];
const TRACES = ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'nonsense', '', 'x'.repeat(600)];
const IDS = [
  '{ended}',
  '{open}',
  '{large}',
  'inv_00000000000000000000000000',
  'inv_',
  'INV_00000000000000000000000000',
  'bat_00000000000000000000000000',
  '%00',
  '%2e%2e',
  '..',
  '%zz',
  'a%2Fb',
  '*',
  ':id',
  'inv_0000000000000000000000000%0a',
  'x'.repeat(200),
  'x'.repeat(2_500),
  '',
  '__proto__',
];
const QUERIES = [
  '',
  '?wait=0',
  '?wait=0.2',
  '?wait=x',
  '?wait=-1',
  '?wait=',
  '?wait=1&wait=2',
  '?wiat=1',
  '?wait[]=1',
  '?constructor=1',
  '?__proto__=1',
  '?%zz=1',
  '?wait=00',
  '?tenant=acme',
];

function* submissions(): Generator<CorpusRequest> {
  for (const body of BODIES) yield requestOf(shown(body), SUBMIT, { headers: [JSON_TYPE], body });
  for (const body of BODIES.slice(0, 40))
    if (typeof body !== 'string')
      yield requestOf(`item ${shown(body)}`, BATCH, { headers: [JSON_TYPE], body: { items: [ECHO, body] } });
  for (const body of [
    {},
    { items: [] },
    { items: {} },
    { items: [null, 1, 'x', []] },
    { items: [ECHO], more: 1 },
    ECHO,
    [],
    '{',
    '',
  ])
    yield requestOf(shown(body), BATCH, { headers: [JSON_TYPE], body });
  yield requestOf('1,001 items', BATCH, {
    headers: [JSON_TYPE],
    body: { items: Array.from({ length: 1_001 }, () => ECHO) },
  });
  yield requestOf('100 items', BATCH, {
    headers: [JSON_TYPE],
    body: { items: Array.from({ length: 100 }, () => ECHO) },
  });
  yield requestOf('no body', SUBMIT, {});
  yield requestOf('no body, but a type', SUBMIT, { headers: [JSON_TYPE] });
  yield requestOf('chunks', SUBMIT, { headers: [JSON_TYPE, 'transfer-encoding: chunked'] });
}

function* withHeaders(): Generator<CorpusRequest> {
  const each = (name: string, values: readonly string[], body: unknown = ECHO) =>
    values.flatMap((value) =>
      [SUBMIT, BATCH].map((target) =>
        requestOf(`${name} '${value.slice(0, 60)}'`, target, {
          headers: [...(name === 'content-type' ? [] : [JSON_TYPE]), `${name}: ${value}`],
          body: target === BATCH ? { items: [body] } : body,
        }),
      ),
    );
  yield* each('prefer', PREFERENCES);
  yield* each('idempotency-key', KEYS);
  // The same keys again: an earlier request, and one with another body.
  yield* each('idempotency-key', KEYS.slice(0, 2));
  yield* each('idempotency-key', KEYS.slice(0, 2), { toolId: 'core:echo', arguments: { value: 'other' } });
  yield* each('content-type', TYPES);
  yield* each('content-encoding', CODINGS);
  yield* each('origin', ORIGINS);
  yield* each('x-errand-tenant', TENANTS);
  yield* each('traceparent', TRACES);
  // The first response is compressed in one go, the second one by a stream.
  for (const length of [800, 3_000])
    yield* each('accept-encoding', ACCEPTED_CODINGS, { toolId: 'core:echo', arguments: { value: 'v'.repeat(length) } });
  for (const host of HOSTS) yield requestOf(`the header '${host}'`, SUBMIT, { headers: [JSON_TYPE], body: ECHO, host });
  yield requestOf('two hosts', SUBMIT, { headers: [JSON_TYPE, 'host: localhost'], body: ECHO });
  yield requestOf('two types', SUBMIT, { headers: [JSON_TYPE, JSON_TYPE], body: ECHO });
  yield requestOf('two preferences', SUBMIT, { headers: [JSON_TYPE, 'prefer: wait=0', 'prefer: wait=x'], body: ECHO });
  yield requestOf('an expectation', SUBMIT, { headers: [JSON_TYPE, 'expect: something'], body: ECHO });
}

function* reads(): Generator<CorpusRequest> {
  const read = (name: string, target: string, parts: Parts = {}) =>
    requestOf(name, target, { method: 'GET', ...parts });
  for (const id of IDS) for (const query of ['', '?wait=0.2']) yield read('an id', `${SUBMIT}/${id}${query}`);
  for (const query of QUERIES) yield read('a query', `${SUBMIT}/{ended}${query}`);
  for (const tag of ['*', '"x"', 'W/"x"', '', 'nonsense'])
    for (const id of ['{ended}', '{open}'])
      yield read(`the tag ${tag}`, `${SUBMIT}/${id}`, { headers: [`if-none-match: ${tag}`] });
  for (const coding of ACCEPTED_CODINGS)
    yield read(`accept-encoding '${coding}'`, `${SUBMIT}/{large}`, { headers: [`accept-encoding: ${coding}`] });
  for (const origin of ORIGINS)
    yield read(`origin '${origin}'`, `${SUBMIT}/{ended}`, { headers: [`origin: ${origin}`] });
  yield read('a body', `${SUBMIT}/{ended}`, { headers: [JSON_TYPE], body: ECHO });
  yield read('a wait that is preferred', `${SUBMIT}/{ended}`, { headers: ['prefer: wait=1'] });
  yield read('an absolute target', `http://localhost${SUBMIT}/{ended}`);
  yield read('two slashes', `/v1//invocations/{ended}`);
  yield read('a slash at the end', `${SUBMIT}/{ended}/`);
  yield read('upper case', `/V1/Invocations/{ended}`);
}

function* methods(): Generator<CorpusRequest> {
  for (const method of METHODS)
    for (const target of [SUBMIT, BATCH, `${SUBMIT}/{ended}`, `${SUBMIT}/{ended}?wait=x`])
      // The list is not direct, and its pages differ between two servers.
      if (target !== SUBMIT || method !== 'GET') yield requestOf('the method', target, { method });
}

/** Authorization headers for servers with the keys of the tests. */
export const CREDENTIALS = [
  undefined,
  'Bearer {operator}',
  'Bearer {acme}',
  'bearer   {acme}',
  'Bearer acme:{acme}',
  'Bearer corp:{acme}',
  'Bearer wrong',
  'Bearer ',
  'Basic dXNlcjpwYXNz',
  '{acme}',
  'Bearer {acme} {acme}',
];

/** The requests with each of the credentials. */
export function withCredentials(): CorpusRequest[] {
  return CREDENTIALS.flatMap((credential) => {
    const given = credential === undefined ? [] : [`authorization: ${credential}`];
    return [undefined, 'acme', 'corp', 'Acme'].flatMap((tenant) => {
      const headers = [...given, ...(tenant === undefined ? [] : [`x-errand-tenant: ${tenant}`])];
      const name = headers.join(', ') || 'no key';
      return [
        requestOf(name, SUBMIT, { headers: [...headers, JSON_TYPE], body: ECHO }),
        requestOf(name, BATCH, { headers: [...headers, JSON_TYPE], body: { items: [ECHO] } }),
        requestOf(name, `${SUBMIT}/{ended}`, { method: 'GET', headers }),
      ];
    });
  });
}

/** The requests to servers without keys, in the order in which they are sent. */
export function openRequests(): CorpusRequest[] {
  return [...submissions(), ...withHeaders(), ...reads(), ...methods()];
}
