import { newInvocationId } from '@errand/contracts';
import { eventually } from './support/eventually.js';
import { FeedClient } from './support/feed-client.js';
import { useStack } from './support/start-stack.js';

const KEYS = { acme: 'acme-key-of-some-length', operator: 'key-of-the-operator' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const [ACME, OPERATOR] = [as(KEYS.acme), as(KEYS.operator)];
const ROW_FIELDS =
  'id status createdAt startedAt finishedAt agent session toolIds steps attempts progress errorType errorMessage waitingFor retryOf'.split(
    ' ',
  );
const PLUGIN = `
name: review
displayName: Review
version: 1.0.0
description: Asks people.
tools:
  - id: review:ask
    displayName: Ask
    description: Asks a person.
    parameters: { type: object, properties: {} }
    implementation: { type: external }
`;

const stack = useStack({
  with: ['worker'],
  library: { 'plugins/review/plugin.yaml': PLUGIN },
  env: { ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme}` },
});
const { client } = stack;
let another: string;
beforeAll(async () => {
  another = await stack.startApi();
});

const feeds: FeedClient[] = [];
afterEach(() => feeds.splice(0).forEach((feed) => feed.close()));

async function open(query = '', headers: Record<string, string> = OPERATOR, url = stack.url): Promise<FeedClient> {
  const feed = await FeedClient.open(url, query, headers);
  feeds.push(feed);
  return feed;
}

async function submit(body: object, headers: Record<string, string> = OPERATOR): Promise<string> {
  const { status, body: accepted } = await client.post('/v1/invocations', body, headers);
  expect([status, accepted]).toEqual([202, expect.anything()]);
  return accepted.id;
}
const echo = (over: object = {}) => ({ toolId: 'core:echo', arguments: { value: 1 }, ...over });

describe('The feed of events', () => {
  it('A change of an invocation arrives as its row, at every process of the API', async () => {
    const both = [await open(), await open('?topics=invocations', OPERATOR, another)];
    const id = await submit(echo({ session: 'seen' }));
    for (const feed of both) {
      const { data } = await feed.untilStatus(id, 'succeeded');
      expect(Object.keys(data).toSorted()).toEqual(ROW_FIELDS.toSorted());
      expect(data).toMatchObject({ toolIds: ['core:echo'], session: 'seen', steps: { total: 1, done: 1 } });
    }
  });

  it('A tenant gets events of its own invocations only, and the operator those of the tenant it names', async () => {
    const own = await open('', ACME);
    const named = await open('', { ...OPERATOR, 'x-errand-tenant': 'acme' });
    const foreign = await submit(echo());
    const id = await submit(echo(), ACME);
    await own.untilStatus(id, 'succeeded');
    await named.untilStatus(id, 'succeeded');
    expect([...own.dataOf('invocation'), ...named.dataOf('invocation')].map((row) => row['id'])).not.toContain(foreign);
    await expect(FeedClient.open(stack.url, '', { ...ACME, 'x-errand-tenant': 'default' })).rejects.toThrow(/403/);
  });

  it('Filters and topics select the events', async () => {
    const failing = await open('?topics=invocations&errorType=NodeError');
    const ofSeven = await open('?session=seven&metadata.ticket=7');
    const library = await open('?topics=library');
    const failed = await submit({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    const tagged = await submit(echo({ session: 'seven', metadata: { ticket: 7 } }));
    const other = await submit(echo({ session: 'seven', metadata: { ticket: 8 } }));
    const all = await open();
    await failing.untilStatus(failed, 'failed');
    await ofSeven.untilStatus(tagged, 'succeeded');
    await client.get(`/v1/invocations/${other}?wait=20`, OPERATOR);
    const last = await submit(echo({ session: 'seven', metadata: { ticket: 7 } }));
    await all.untilStatus(last, 'succeeded');
    await ofSeven.untilStatus(last, 'succeeded');
    expect(failing.dataOf('invocation').map((row) => row['id'])).not.toContain(tagged);
    expect(ofSeven.dataOf('invocation').map((row) => row['id'])).not.toContain(other);
    expect(library.events).toEqual([]);
  });

  it('A client that resumes at another process gets each missed invocation in its last state', async () => {
    const first = await open();
    const before = await submit(echo());
    await first.untilStatus(before, 'succeeded');
    first.close();
    const missed = [await submit(echo()), await submit(echo())];
    for (const id of missed) await client.get(`/v1/invocations/${id}?wait=20`, OPERATOR);
    const again = await open('', { ...OPERATOR, 'last-event-id': first.lastId }, another);
    for (const id of missed) await again.untilStatus(id, 'succeeded');
    expect(again.dataOf('reset')).toEqual([]);
    const next = await submit(echo());
    await again.untilStatus(next, 'succeeded');
  });

  it.each(['no position', 'ZjF8ZXJyYW5kPTF8fDF8', Buffer.from('f1|a=1|x|1|').toString('base64url')])(
    'A client with the unknown position %s is told to read again',
    async (position) => {
      const feed = await open('', { ...OPERATOR, 'last-event-id': position });
      const { data } = await feed.until(({ event }) => event === 'reset' || event === 'invocation');
      if (position.startsWith('ZjF8Z')) return;
      expect(data).toEqual({ reason: expect.stringContaining('not known') as unknown });
      const id = await submit(echo());
      await feed.untilStatus(id, 'succeeded');
    },
  );

  it('A followed invocation has its own events, and they go on at another process without a gap', async () => {
    const id = await submit({ toolId: 'review:ask', arguments: {} });
    const first = await open(`?topics=library&follow=${id}`);
    const ofStatus = (status: string) => (each: { event: string; data: Record<string, unknown> }) =>
      each.event === 'followed' &&
      each.data['event'] === 'status' &&
      (each.data['data'] as { status?: string }).status === status;
    await first.until(ofStatus('waiting_external'));
    first.close();
    expect(first.events.every(({ event, data }) => event === 'followed' && data['invocationId'] === id)).toBe(true);
    const again = await open(`?topics=library&follow=${id}`, { ...OPERATOR, 'last-event-id': first.lastId }, another);
    await client.post(`/v1/invocations/${id}/steps/0/result`, { result: 'yes' }, OPERATOR);
    await again.until(({ data }) => data['event'] === 'end');
    const told = (feed: FeedClient) => feed.dataOf('followed').map(({ event, data }) => [event, data as object]);
    const inOne = (await client.get<string>(`/v1/invocations/${id}/events`, OPERATOR)).body;
    expect([...told(first), ...told(again)]).toHaveLength(inOne.split('\nevent: ').length - 1);
  });

  it('A wait for an answer opens in the inbox and closes', async () => {
    const feed = await open('?topics=inbox');
    const id = await submit({ toolId: 'review:ask', arguments: {} });
    const opened = await feed.until(({ data }) => data['invocationId'] === id && data['state'] === 'open');
    expect([opened.event, opened.data]).toEqual([
      'inbox',
      { kind: 'answer', id: `${id}.0`, invocationId: id, state: 'open' },
    ]);
    await client.post(`/v1/invocations/${id}/steps/0/result`, { result: 'yes' }, OPERATOR);
    await feed.until(({ data }) => data['id'] === `${id}.0` && data['state'] === 'closed');
  });

  it('A queue is sent when its numbers change, and to a tenant with its share only', async () => {
    const feed = await open('?topics=queues', ACME);
    await eventually(async () => {
      const id = await submit({ toolId: 'core:delay', arguments: { ms: 1_200, value: 1 } }, ACME);
      await client.get(`/v1/invocations/${id}?wait=20`, ACME);
      return feed.events.length > 0;
    }, 'an event of a queue');
    const { event, data } = await feed.until(({ data: queue }) => queue['name'] === 'invocations');
    expect(event).toBe('queue');
    expect((data['tenants'] as { tenant: string }[]).every(({ tenant }) => tenant === 'acme')).toBe(true);
  });

  it('A process is sent when it takes a job, and to a tenant without the name of its host', async () => {
    const feed = await open('?topics=processes', ACME);
    await eventually(async () => {
      const id = await submit({ toolId: 'core:delay', arguments: { ms: 1_500, value: 1 } }, ACME);
      await client.get(`/v1/invocations/${id}?wait=20`, ACME);
      return feed.events.some(({ data }) => (data['inHand'] as unknown[]).length > 0);
    }, 'an event of a process that runs a job');
    expect(feed.events.every(({ event, data }) => event === 'process' && data['host'] === null)).toBe(true);
  });

  it('Above 200 changes a second the feed is thinned, and says how many it left out', async () => {
    const feed = await open('?topics=invocations');
    const { redis } = await stack.openQueues();
    const now = Date.now() * 1_000;
    const entries = Array.from({ length: 1_000 }, (_, n) => [now + n, newInvocationId().slice(4)]).flat();
    await redis.zadd('{errand}:index:default:changed', ...entries);
    const { data } = await feed.until(({ event }) => event === 'dropped');
    expect(data['count']).toBeGreaterThanOrEqual(600);
    const id = await submit(echo());
    await feed.untilStatus(id, 'succeeded');
  });

  it('A malformed request gets an error that says how to fix it', async () => {
    const cases: [string, RegExp][] = [
      ['?topics=invocation', /topics must have only invocations, .*did you mean 'invocations'/],
      ['?topics=', /topics must have parts/],
      ['?follow=inv_x', /follow must have ids/],
      [`?follow=${Array.from({ length: 21 }, (_, n) => `inv_${n}`).join()}`, /20 ids at most, not 21/],
      ['?limit=3', /Unknown filter 'limit'/],
      ['?updatedAfter=2026-01-01', /Last-Event-ID/],
      ['?errorType=NodeErro', /did you mean 'NodeError'/],
    ];
    for (const [query, message] of cases) {
      const { status, body } = await client.get<{ code: string; detail: string }>(`/v1/events${query}`, OPERATOR);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.detail).toMatch(message);
    }
  });
});

describe('The counts of invocations by status', () => {
  const counts = async (query: string, headers: Record<string, string> = OPERATOR) =>
    (
      await client.get<{ counts: Record<string, number>; approximate: boolean; at: string }>(
        `/v1/invocations/counts${query}`,
        headers,
      )
    ).body;

  it('Counts follow the filters, and are those of the tenant', async () => {
    const session = '?session=counted';
    await submit(echo({ session: 'counted' }), ACME);
    const done = await submit(echo({ session: 'counted' }));
    const failed = await submit({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 }, session: 'counted' });
    const asked = await submit({ toolId: 'review:ask', arguments: {}, session: 'counted' });
    for (const id of [done, failed]) await client.get(`/v1/invocations/${id}?wait=20`, OPERATOR);
    const feed = await open(`?session=counted&status=waiting_external&ids=${asked}`, {
      ...OPERATOR,
      'last-event-id': Buffer.from('f1|errand=1||1|').toString('base64url'),
    });
    await feed.untilStatus(asked, 'waiting_external');
    const none = { queued: 0, running: 0, waiting_external: 0, succeeded: 0, failed: 0, cancelled: 0 };
    expect(await counts(session)).toEqual({
      counts: { ...none, waiting_external: 1, succeeded: 1, failed: 1 },
      approximate: false,
      at: expect.stringMatching(/Z$/) as unknown,
    });
    expect((await counts(`${session}&errorType=NodeError`)).counts).toEqual({ ...none, failed: 1 });
    expect((await counts(`${session}&errorType=ScriptError`)).counts).toEqual(none);
    expect((await counts(`${session}&status=succeeded,failed`)).counts).toEqual({ ...none, succeeded: 1, failed: 1 });
    expect((await counts(`${session}&tenant=acme`)).counts['succeeded']).toBe(1);
    expect((await counts(session, ACME)).counts['failed']).toBe(0);
  });

  it('A list has invocations with an error of a type, as rows too', async () => {
    const { body } = await client.get<{ items: { errorType: string; status: string }[] }>(
      '/v1/invocations?view=row&session=counted&errorType=NodeError&status=failed,succeeded',
      OPERATOR,
    );
    expect(body.items.map(({ status, errorType }) => [status, errorType])).toEqual([['failed', 'NodeError']]);
    const cancelled = await submit({ toolId: 'review:ask', arguments: {}, session: 'ended' });
    await client.post(`/v1/invocations/${cancelled}/cancel`, '', OPERATOR);
    await client.get(`/v1/invocations/${cancelled}?wait=20`, OPERATOR);
    const found = await client.get<{ items: { id: string }[] }>(
      '/v1/invocations?session=ended&errorType=CancelledError',
      OPERATOR,
    );
    expect(found.body.items.map(({ id }) => id)).toEqual([cancelled]);
  });
});
