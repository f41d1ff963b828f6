import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import type { Invocation, Question } from '@errand/contracts';
import type { Problem } from './support/client.js';
import { eventually } from './support/eventually.js';
import { REVIEW_LIBRARY } from './support/review-library.js';
import { useStack } from './support/start-stack.js';

interface Page {
  items: (Partial<Invocation> & { waiting?: Question })[];
  nextCursor: string | null;
  count?: { value: number; exact: boolean };
}

const KEYS = { operator: 'key-of-the-operator', acme: 'acme-key-of-some-length' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const [OPERATOR, ACME] = [as(KEYS.operator), as(KEYS.acme)];

const { client } = useStack({
  with: ['worker'],
  library: REVIEW_LIBRARY,
  examples: true,
  env: { ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme}` },
});

const list = async (query: string, headers = OPERATOR) =>
  (await client.get<Page>(`/v1/invocations?${query}`, headers)).body;
const submit = async (body: object, headers = OPERATOR) =>
  (await client.post('/v1/invocations', body, { prefer: 'wait=20', ...headers })).body;
const echo = (value: unknown, session: string) => ({ toolId: 'core:echo', arguments: { value }, session });
const ask = (what: string, session: string) => ({ toolId: 'review:approve', arguments: { what }, session });

/** Asks a person, and resolves when the invocation waits for the answer. */
async function asking(body: object, headers = OPERATOR): Promise<string> {
  const { body: accepted } = await client.post('/v1/invocations', body, headers);
  await untilListed(`ids=${accepted.id}`, 'waiting_external', headers);
  return accepted.id;
}

async function untilListed(query: string, status: string, headers = OPERATOR): Promise<void> {
  await eventually(async () => (await list(query, headers)).items[0]?.status === status);
}

describe('The items of a list', () => {
  it('Items lack steps, calls and observation, and have exactly the fields that a request names', async () => {
    const whole = await submit(echo('x', 'fields'));
    const [item] = (await list('session=fields')).items;
    const { steps, calls, observation, ...rest } = whole;
    expect(item).toEqual(rest);
    expect((await list('session=fields&fields=status,result')).items).toEqual([
      { id: whole.id, status: 'succeeded', result: 'x' },
    ]);
    expect((await list('session=fields&fields=id,steps,calls,observation')).items).toEqual([
      { id: whole.id, steps, calls, observation },
    ]);
    const wrong = await client.get<Problem>('/v1/invocations?fields=id,observations', OPERATOR);
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(wrong.body.detail).toMatch(/'observations', did you mean 'observation'\?/);
    for (const hostile of ['__proto__', 'constructor', 'toString'])
      expect((await client.get(`/v1/invocations?fields=${hostile}`, OPERATOR)).status).toBe(400);
  });

  it('An item that waits for an answer shows the question until the answer comes', async () => {
    const id = await asking(ask('the plan', 'question'));
    const query = 'session=question&status=waiting_external';
    expect((await list(query)).items).toMatchObject([
      {
        id,
        status: 'waiting_external',
        waiting: {
          for: 'answer',
          step: 0,
          until: null,
          prompt: { what: 'the plan' },
          schema: { type: 'object', required: ['ok'] },
        },
      },
    ]);
    expect((await list(`${query}&fields=waiting`)).items[0]).toEqual({ id, waiting: expect.any(Object) });
    await client.post(`/v1/invocations/${id}/steps/0/result`, { result: { ok: true } }, OPERATOR);
    await untilListed('session=question', 'succeeded');
    expect((await list('session=question')).items[0]).not.toHaveProperty('waiting');
  });

  it('A long question is cut in a list', async () => {
    const what = 'ü'.repeat(100_000);
    const id = await asking(ask(what, 'long'));
    const [item] = (await list(`ids=${id}`)).items;
    const { prompt, promptTruncated } = item!.waiting!;
    expect(prompt).toBe(JSON.stringify({ what }).slice(0, 2_000));
    expect(promptTruncated).toEqual({ total: JSON.stringify({ what }).length });
  });
});

describe('The filters of a list over HTTP', () => {
  it('A list by ids has no invocation of another tenant, and a count counts none', async () => {
    const foreign = await submit(echo(1, 'ids'), ACME);
    const own = [await submit(echo(1, 'ids')), await submit(echo(2, 'ids'))];
    const ids = [foreign, ...own].map(({ id }) => id).join();
    const page = await list(`ids=${ids}&count=true&fields=id`);
    expect(page).toEqual({
      items: own.map(({ id }) => ({ id })).toReversed(),
      nextCursor: null,
      count: { value: 2, exact: true },
    });
    expect((await list(`ids=${ids}&count=true`, ACME)).count).toEqual({ value: 1, exact: true });
    const { finishedAt } = own[1]!;
    const ended = await list(`session=ids&finishedFrom=${finishedAt}&status=succeeded,failed&count=true`);
    expect(ended.items.map(({ id }) => id)).toContain(own[1]!.id);
  });

  it('A running invocation of another tenant is in no list', async () => {
    const slow = { toolId: 'core:delay', arguments: { ms: 600_000 }, session: 'slow' };
    const { body } = await client.post('/v1/invocations', slow, ACME);
    await untilListed(`ids=${body.id}`, 'running', ACME);
    expect((await list('status=running', ACME)).items.map(({ id }) => id)).toEqual([body.id]);
    for (const query of ['status=running', 'status=running,failed', 'status=running&updatedAfter=2020-01-01'])
      expect((await list(query)).items).toEqual([]);
    expect((await list('status=running&count=true')).count).toEqual({ value: 0, exact: true });
    await client.post(`/v1/invocations/${body.id}/cancel`, {}, ACME);
    await untilListed(`ids=${body.id}`, 'cancelled', ACME);
  });
});

describe('The example of docs/lists-and-retention.md', () => {
  it('The example yields each change of the invocations of a session', async () => {
    const page = readFileSync(join(__dirname, '../docs/lists-and-retention.md'), 'utf8');
    const [, code = ''] = /```js poll\n(.*?)```/s.exec(page) ?? [];
    const changesSince = runInThisContext(`${code}; changesSince`) as (
      url: string,
      since: string,
      wait: () => Promise<unknown>,
      headers: object,
    ) => AsyncGenerator<Invocation>;
    const since = new Date().toISOString();
    const first = await submit(echo(1, 'poll'));
    const seen: [string, string][] = [];
    let id = '';
    const wait = async () => {
      if (id === '') id = await asking(ask('now', 'poll'));
      else await client.post(`/v1/invocations/${id}/steps/0/result`, { result: { ok: true } }, OPERATOR);
    };
    for await (const invocation of changesSince(client.url, since, wait, OPERATOR)) {
      if (invocation.session !== 'poll') continue;
      seen.push([invocation.id, invocation.status]);
      if (invocation.id === id && invocation.status === 'succeeded') break;
    }
    expect(seen[0]).toEqual([first.id, 'succeeded']);
    expect(seen).toContainEqual([id, 'waiting_external']);
    expect(seen.filter(([one]) => one === first.id)).toHaveLength(1);
  });
});
