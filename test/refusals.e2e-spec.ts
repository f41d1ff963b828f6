import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DryRunOutcome, Invocation, InvocationSource, Refusal, RefusalSummary } from '@errand/contracts';
import { Client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { FeedClient } from './support/feed-client.js';
import { useStack } from './support/start-stack.js';

const SECRET = 'hunter2-is-not-safe';
const KEYS = { default: 'd'.repeat(24), acme: 'a'.repeat(24), evil: 'e'.repeat(24) };
const secrets = mkdtempSync(join(tmpdir(), 'errand-secrets-'));
writeFileSync(join(secrets, 'API_KEY'), `${SECRET}\n`);

const stack = useStack({
  with: ['worker'],
  examples: true,
  env: {
    ERRAND_SECRETS_DIR: secrets,
    ERRAND_API_KEYS: `${KEYS.default} acme:${KEYS.acme} evil:${KEYS.evil}`,
  },
});
const clientOf = (key: string, url: () => string = () => stack.url) =>
  new Client(url, { authorization: `Bearer ${key}` });
const acme = clientOf(KEYS.acme);
const operator = clientOf(KEYS.default);

const echo = (value: string) => `Sure.\n<ACTION><core:echo><value>${value}</value></core:echo></ACTION> Bye.`;
const WRONG = '<ACTION><core:math><op>ad</op><a>1</a><b>2</b></core:math></ACTION>';
const RIGHT = WRONG.replace('>ad<', '>add<');

interface Listed<T> {
  items: T[];
  nextCursor: string | null;
}
const list = async (query = '', client = acme) => (await client.get<Listed<Refusal>>(`/v1/refusals${query}`)).body;
const refused = async (session: string, client = acme): Promise<Refusal> =>
  eventually(async () => (await list(`?session=${session}`, client)).items[0], `a refusal of ${session} is kept`);

describe('The text of a submission', () => {
  it('The source is the exact text with the place of each value', async () => {
    const text = echo('1 &amp; 2');
    const id = await acme.submit({ text });
    const { status, body } = await acme.get<InvocationSource>(`/v1/invocations/${id}/source`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ text, protocol: 'action', responseText: 'Sure.', trailingText: 'Bye.', warnings: [] });
    const [call] = body.calls;
    const line = text.split('\n')[1] ?? '';
    const place = call?.places['/value'];
    expect([call?.index, call?.place.line, line.slice((place?.column ?? 0) - 1, (place?.endColumn ?? 0) - 1)]).toEqual([
      0,
      2,
      place?.raw,
    ]);
    expect(place?.raw).toContain('1 &amp; 2');
  });

  it('Secrets of the operator are masked in the source', async () => {
    const id = await acme.submit({ text: echo(`key ${SECRET}`) });
    const { body } = await acme.get<InvocationSource>(`/v1/invocations/${id}/source`);
    expect(body.text).toContain('key [secret API_KEY]');
    expect(JSON.stringify(body)).not.toContain(SECRET);
  });

  it.each([
    ['came as JSON', { toolId: 'core:echo', arguments: { value: 1 } }, /came as JSON/],
    ['is longer than 64 KiB', { text: echo('x'.repeat(70_000)) }, /64 KiB/],
  ])('An invocation whose submission %s has no source, and the answer says why', async (_, body, why) => {
    const id = await acme.submit(body);
    const { status, body: problem } = await acme.get(`/v1/invocations/${id}/source`);
    expect([status, problem.code, problem.detail]).toEqual([404, 'not_found', expect.stringMatching(why)]);
  });

  it('Another tenant does not find the source', async () => {
    const id = await acme.submit({ text: echo('1') });
    expect((await clientOf(KEYS.evil).get(`/v1/invocations/${id}/source`)).status).toBe(404);
    expect((await operator.get(`/v1/invocations/${id}/source`)).status).toBe(200);
  });

  it('With ERRAND_KEEP_TEXT=false no text is stored', async () => {
    const url = await stack.startApi({ ERRAND_KEEP_TEXT: 'false' });
    const client = clientOf(KEYS.acme, () => url);
    const id = await client.submit({ text: echo('1') });
    const { status, body } = await client.get(`/v1/invocations/${id}/source`);
    expect([status, body.detail]).toEqual([404, expect.stringContaining('ERRAND_KEEP_TEXT')]);
  });
});

it('A reader sees the Observation for a smaller budget', async () => {
  const { id, observation } = await acme.invoke({ toolId: 'core:echo', arguments: { value: 'word '.repeat(400) } });
  const read = (chars: string) => acme.get<Invocation>(`/v1/invocations/${id}?maxResultChars=${chars}`);
  const smaller = (await read('200')).body.observation ?? '';
  expect(smaller.length).toBeLessThan((observation ?? '').length / 2);
  expect((await read('8000')).body.observation).toBe(observation);
  for (const chars of ['199', 'x', '-1']) expect((await read(chars)).status).toBe(400);
});

describe('A dry run of a submission', () => {
  const dryRun = (body: object, client = acme) => client.post<DryRunOutcome>('/v1/invocations?dryRun=true', body);

  it('A dry run says what would run, and nothing is stored', async () => {
    const session = 'dry';
    const { status, body } = await dryRun({ text: RIGHT, session, metadata: { a: 1 } });
    expect([status, body]).toEqual([
      200,
      {
        calls: [{ toolId: 'core:math', version: expect.any(String), arguments: { op: 'add', a: 1, b: 2 } }],
        warnings: [],
        queue: 'invocations',
        etaMs: expect.any(Number),
      },
    ]);
    expect((await dryRun({ text: 'Hello.' })).body).toEqual({ calls: [], warnings: [], queue: null, etaMs: null });
    const { body: found } = await acme.get<Listed<object>>(`/v1/invocations?session=${session}`);
    expect(found.items).toEqual([]);
  });

  it('A dry run of a wrong text is the 422 of the submission, and is not kept', async () => {
    const session = 'dry-wrong';
    const dry = await dryRun({ text: WRONG, session });
    expect(dry.status).toBe(422);
    const real = await acme.post('/v1/invocations', { text: WRONG, session });
    expect(dry.body).toEqual(real.body);
    await refused(session);
    expect((await list(`?session=${session}`)).items).toHaveLength(1);
    expect((await acme.post('/v1/invocations?dryRun=yes', { text: RIGHT })).status).toBe(400);
  });
});

describe('Refusals', () => {
  it('A refused text is kept with its errors, its observation and the tools that it called', async () => {
    const answer = await acme.post('/v1/invocations', { text: `${WRONG} ${SECRET}`, session: 'kept', agent: 'demo' });
    const refusal = await refused('kept');
    expect(refusal).toEqual({
      id: expect.stringMatching(/^ref_/),
      at: expect.stringMatching(/Z$/),
      agent: 'demo',
      session: 'kept',
      code: 'invalid_parameters',
      toolIds: ['core:math'],
      errors: answer.body.errors,
      observation: (answer.body as { observation?: string }).observation,
      text: `${WRONG} [secret API_KEY]`,
      recoveredBy: null,
    });
    expect((await acme.get(`/v1/refusals/${refusal.id}`)).body).toEqual(refusal);
    expect((await clientOf(KEYS.evil).get(`/v1/refusals/${refusal.id}`)).status).toBe(404);
    expect(await list('', clientOf(KEYS.evil))).toEqual({ items: [], nextCursor: null });
    const own = await operator.get<Listed<Refusal>>('/v1/refusals?session=kept');
    expect(own.body.items).toEqual([]);
    expect((await operator.get<Listed<Refusal>>('/v1/refusals?session=kept&tenant=acme')).body.items).toHaveLength(1);
  });

  it('Listeners of the feed hear of a refusal, and other tenants do not', async () => {
    const headers = (key: string) => ({ authorization: `Bearer ${key}` });
    const feed = await FeedClient.open(stack.url, '?topics=refusals', headers(KEYS.acme));
    const other = await FeedClient.open(stack.url, '?topics=refusals', headers(KEYS.evil));
    try {
      // A process may not know of its listener yet when the first refusal comes.
      const [heard] = await eventually(async () => {
        await acme.post('/v1/invocations', { text: WRONG, session: 'heard' });
        const all = feed.dataOf('refusal').filter(({ session }) => session === 'heard');
        return all.length > 0 && all;
      }, 'a refusal is heard');
      const { id, code, toolIds, agent, session } = (await acme.get<Refusal>(`/v1/refusals/${String(heard?.['id'])}`))
        .body;
      expect(heard).toEqual({ id, code, toolIds, agent, session });
      expect(other.dataOf('refusal')).toEqual([]);
    } finally {
      feed.close();
      other.close();
    }
  });

  it('An invocation of the same session that calls the same tool recovers from the refusal', async () => {
    await acme.post('/v1/invocations', { text: WRONG, session: 'recovers' });
    await refused('recovers');
    await acme.submit({ text: RIGHT, session: 'elsewhere' });
    await acme.submit({ text: echo('1'), session: 'recovers' });
    const id = await acme.submit({ text: RIGHT, session: 'recovers' });
    await acme.submit({ text: RIGHT, session: 'recovers' });
    const recovered = await eventually(async () => (await refused('recovers')).recoveredBy ?? undefined, 'a recovery');
    expect(recovered).toBe(id);
  });

  it('Refusals of JSON, of messages and of batches are kept, and those with another status are not', async () => {
    const call = { toolId: 'core:math', arguments: { op: 'ad' } };
    await acme.post('/v1/invocations', { ...call, session: 'json' });
    const message = {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'core__ecko', arguments: '{}' } }],
    };
    await acme.post('/v1/invocations', { message, session: 'message' });
    await acme.post('/v1/invocations/batch', { items: [{ ...call, session: 'batch' }] });
    await acme.post('/v1/invocations', { toolIdd: 'core:echo', session: 'none' });
    expect(JSON.parse((await refused('json')).text)).toEqual(call);
    expect((await refused('message')).code).toBe('unknown_tool');
    expect((await refused('batch')).toolIds).toEqual(['core:math']);
    expect((await list('?session=none')).items).toEqual([]);
  });

  it('The list has pages and filters, and refuses malformed ones', async () => {
    const session = 'pages';
    for (let n = 0; n < 5; n++) await acme.post('/v1/invocations', { text: WRONG, session, agent: 'demo' });
    await eventually(async () => (await list(`?session=${session}`)).items.length === 5, 'five refusals are kept');
    const first = await list(`?session=${session}&limit=2`);
    const second = await list(`?session=${session}&limit=2&cursor=${first.nextCursor}`);
    const third = await list(`?session=${session}&limit=2&cursor=${second.nextCursor}`);
    const ids = [first, second, third].flatMap(({ items }) => items.map(({ id }) => id));
    expect([ids, third.nextCursor]).toEqual([ids.toSorted().toReversed(), null]);
    expect(new Set(ids).size).toBe(5);
    const matching = async (query: string) => (await list(`?session=${session}&${query}`)).items.length;
    expect(await matching('code=unknown_tool')).toBe(0);
    expect(await matching('code=invalid_parameters&toolId=core:math&agent=demo')).toBe(5);
    expect(await matching(`from=${first.items[1]?.at}`)).toBeGreaterThanOrEqual(2);
    expect(await matching('to=2020-01-01')).toBe(0);
    const foreign = `code=unknown_tool&cursor=${first.nextCursor}`;
    for (const query of ['limit=0', 'limit=101', 'cursor=x', foreign, 'code=x', 'from=yesterday', 'x=1'])
      expect([query, (await acme.get(`/v1/refusals?${query}`)).status]).toEqual([query, 400]);
  });

  it('The summary counts refusals, accepted calls and recoveries by tool, parameter, code and agent', async () => {
    const url = await stack.startApi({ ERRAND_API_KEYS: `sums:${KEYS.acme}` });
    const client = clientOf(KEYS.acme, () => url);
    for (const session of ['s1', 's2']) await client.post('/v1/invocations', { text: WRONG, session });
    await eventually(async () => (await list('', client)).items.length === 2, 'two refusals are kept');
    await client.submit({ text: RIGHT, session: 's1' });
    const summary = async (by: string) =>
      (await client.get<Listed<RefusalSummary>>(`/v1/refusals/summary?by=${by}`)).body.items;
    await eventually(async () => (await summary('tool'))[0]?.recovered === 1, 'the recovery is counted');
    const counts = { refused: 2, accepted: 1, recovered: 1, sample: (await list('', client)).items[0]?.id };
    expect(await summary('tool')).toEqual([{ key: 'core:math', ...counts }]);
    expect(await summary('parameter')).toEqual([{ key: 'core:math/op', ...counts }]);
    expect(await summary('code')).toEqual([{ key: 'invalid_parameters', ...counts }]);
    expect(await summary('agent')).toEqual([{ key: '(none)', ...counts }]);
  });

  it('With ERRAND_REFUSALS_COUNT=0 nothing is kept', async () => {
    const url = await stack.startApi({ ERRAND_REFUSALS_COUNT: '0' });
    const client = clientOf(KEYS.acme, () => url);
    await client.post('/v1/invocations', { text: WRONG, session: 'off' });
    await acme.post('/v1/invocations', { text: WRONG, session: 'on' });
    await refused('on');
    expect(await list('?session=off', client)).toEqual({ items: [], nextCursor: null, kept: false });
  });
});
