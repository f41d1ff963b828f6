import type { JsonObject } from '@errand/contracts';
import { cancelInvocation, openSession, placeInvocation, submitInvocation, type Queues } from '@errand/queue';
import { beginAttempt, messageOf, turnOf } from '../libs/queue/test/sessions.js';
import { useStack } from './support/start-stack.js';

const KEYS = { acme: 'acme-key-of-some-length', corp: 'corp-key-of-some-length', operator: 'key-of-the-operator' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const [ACME, CORP, OPERATOR] = [as(KEYS.acme), as(KEYS.corp), as(KEYS.operator)];

const stack = useStack({
  env: { ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme} corp:${KEYS.corp}`, ERRAND_BODY_LIMIT: '2mb' },
});
let queues: Queues;
beforeAll(async () => {
  queues = await stack.openQueues();
});

/** Begins a turn of an agent without a worker. */
async function beginTurn(session: string, { agent = 'ada', messages = ['hello'] } = {}): Promise<string> {
  const conversation = { tenant: 'acme', session, agent };
  const id = await placeInvocation(queues, conversation);
  await submitInvocation(queues, 'invocations', id, turnOf(conversation));
  await openSession(queues, await beginAttempt(queues, id, conversation), {
    worldState: { door: 'shut' },
    privateState: { of: agent },
    messages: messages.map((content, n) => messageOf(`${id}.m${n}`, { content, invocationId: id })),
  });
  return id;
}

async function endTurn(id: string): Promise<void> {
  const { redis, keyspace } = queues.shardOf(id);
  await redis.hdel(`${keyspace}:invocations:${id}`, 'ats');
  await cancelInvocation(queues, 'acme', id);
}

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = ACME) {
  const response = await fetch(stack.url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/merge-patch+json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as JsonObject };
}

const at = (session: string, rest = '') => `/v1/sessions/${encodeURIComponent(session)}${rest}`;

describe('The routes of a session', () => {
  it('A session is read under any name that a submission may have', async () => {
    for (const session of ['plain', 'a/b?c#d%20:é', '例'.repeat(256)]) {
      await beginTurn(session);
      const { status, body } = await ask('GET', at(session));
      expect([status, body]).toMatchObject([
        200,
        { session, agents: ['ada'], worldState: { door: 'shut' }, turns: { running: 1, waiting: 0, ended: 0 } },
      ]);
    }
  });

  it('The messages come oldest first and in pages', async () => {
    const id = await beginTurn('pages', { messages: ['one', 'two', 'three'] });
    const first = await ask('GET', at('pages', '/messages?agent=ada&limit=2'));
    expect(first.body).toMatchObject({ items: [{ content: 'one' }, { content: 'two' }] });
    const { nextCursor: cursor } = first.body as { nextCursor: string };
    const second = await ask('GET', at('pages', `/messages?agent=ada&limit=2&cursor=${cursor}`));
    expect(second.body).toEqual({
      items: [messageOf(`${id}.m2`, { content: 'three', invocationId: id })],
      nextCursor: null,
    });
    const other = await ask('GET', at('pages', `/messages?cursor=${cursor}`));
    expect([other.status, other.body['detail']]).toEqual([
      400,
      'cursor belongs to the messages of another session or agent',
    ]);
  });

  it('The messages of several agents come in one list that names each agent', async () => {
    await beginTurn('both', { messages: ['of ada'] });
    await beginTurn('both', { agent: 'bob', messages: ['of bob'] });
    const { body } = await ask('GET', at('both', '/messages'));
    expect(body['items']).toMatchObject([
      { content: 'of ada', agent: 'ada' },
      { content: 'of bob', agent: 'bob' },
    ]);
  });

  it('A merge patch changes the world state or the private state of an agent', async () => {
    await beginTurn('state');
    expect(await ask('PATCH', at('state', '/state'), { door: null, lamp: { on: true } })).toEqual({
      status: 200,
      body: { lamp: { on: true } },
    });
    expect((await ask('PATCH', at('state', '/state?agent=ada'), { mood: 'calm' })).body).toEqual({
      of: 'ada',
      mood: 'calm',
    });
    expect((await ask('GET', at('state', '/state'))).body).toEqual({ lamp: { on: true } });
    expect((await ask('GET', at('state', '/state?agent=ada'))).body).toEqual({ of: 'ada', mood: 'calm' });
    expect((await ask('GET', at('state'))).body['worldState']).toEqual({ lamp: { on: true } });
  });

  it('Concurrent patches lose no change', async () => {
    await beginTurn('many');
    const patches = Array.from({ length: 40 }, (_, n) => ask('PATCH', at('many', '/state'), { [`k${n}`]: n }));
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
    expect(Object.keys((await ask('GET', at('many', '/state'))).body)).toHaveLength(41);
  });

  it('A session is deleted after the end of its turns', async () => {
    const id = await beginTurn('short');
    const refused = await ask('DELETE', at('short'));
    expect([refused.status, refused.body['code']]).toEqual([409, 'conflict']);
    expect(refused.body['detail']).toContain(id);
    await endTurn(id);
    expect((await ask('DELETE', at('short'))).status).toBe(204);
    expect((await ask('GET', at('short'))).status).toBe(404);
    expect((await ask('GET', `/v1/invocations/${id}`)).body).toMatchObject({ id, session: 'short' });
  });
});

describe('A session of another tenant', () => {
  it.each([
    ['GET', '', undefined],
    ['GET', '/messages', undefined],
    ['GET', '/state', undefined],
    ['GET', '/state?agent=ada', undefined],
    ['PATCH', '/state', { door: 'open' }],
    ['DELETE', '', undefined],
  ])('%s %s is 404 for it, as for a session that does not exist', async (method, rest, body) => {
    await beginTurn('secret');
    for (const [session, headers] of [
      ['secret', CORP],
      ['secret', OPERATOR],
      ['none', ACME],
    ] as const) {
      const got = await ask(method, at(session, rest), body, headers);
      expect([got.status, got.body]).toMatchObject([404, { code: 'not_found' }]);
      expect(JSON.stringify(got.body)).not.toContain('shut');
    }
    expect((await ask('GET', at('secret', '/state'))).body).toEqual({ door: 'shut' });
  });

  it('The operator reads a session in the name of its tenant', async () => {
    await beginTurn('named');
    const { status } = await ask('GET', at('named'), undefined, { ...OPERATOR, 'x-errand-tenant': 'acme' });
    expect(status).toBe(200);
  });
});

describe('Bad requests for a session', () => {
  beforeAll(() => beginTurn('bad').then(() => undefined));

  it.each<[what: string, method: string, rest: string, body: unknown, status: number, detail: string]>([
    ['an agent that has not acted', 'GET', '/state?agent=adda', undefined, 404, "did you mean 'ada'?"],
    ['an inherited name as agent', 'GET', '/state?agent=__proto__', undefined, 404, 'has not acted'],
    ['an unknown parameter', 'GET', '/messages?agents=ada', undefined, 400, 'agents'],
    ['a limit of 0', 'GET', '/messages?limit=0', undefined, 400, 'limit must be from 1 to 1000'],
    ['a limit above the highest', 'GET', '/messages?limit=1001', undefined, 400, 'limit must be from 1 to 1000'],
    ['a forged cursor', 'GET', '/messages?cursor=AAAA', undefined, 400, 'must be a nextCursor'],
    ['a patch that is a list', 'PATCH', '/state', [1], 400, 'must be a JSON object'],
    ['a patch that is null', 'PATCH', '/state', 'null', 400, 'must be a JSON object'],
    ['a patch that is no JSON', 'PATCH', '/state', '{', 400, 'must be JSON'],
    ['a deep patch', 'PATCH', '/state', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400, 'deeper'],
    ['a world state that is too large', 'PATCH', '/state', { a: 'x'.repeat(262_144) }, 422, '262144 are allowed'],
    ['a private state that is too large', 'PATCH', '/state?agent=ada', { a: 'x'.repeat(65_536) }, 422, '65536 are'],
  ])('The request with %s is refused', async (_what, method, rest, body, status, detail) => {
    const got = await ask(method, at('bad', rest), body);
    expect([got.status, got.body['detail']]).toEqual([status, expect.stringContaining(detail)]);
  });

  it('The key __proto__ of a patch is data', async () => {
    const got = await ask('PATCH', at('bad', '/state'), '{"__proto__":{"admin":true},"constructor":1}');
    expect(Object.keys(got.body).toSorted()).toEqual(['__proto__', 'constructor', 'door']);
    expect(({} as JsonObject)['admin']).toBeUndefined();
  });

  it('A name of a session with half of a character, or with 257 characters, is 404', async () => {
    for (const name of ['%ED%A0%80', 'x'.repeat(257)])
      expect([400, 404]).toContain((await ask('GET', `/v1/sessions/${name}`)).status);
  });
});
