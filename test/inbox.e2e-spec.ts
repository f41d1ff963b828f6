import type { InboxItem } from '@errand/contracts';
import { Client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { REVIEW_LIBRARY } from './support/review-library.js';
import { useStack } from './support/start-stack.js';

const KEYS = { acme: 'acme-key-of-some-length', corp: 'corp-key-of-some-length', operator: 'key-of-the-operator' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const [ACME, CORP, OPERATOR] = [as(KEYS.acme), as(KEYS.corp), as(KEYS.operator)];

const stack = useStack({
  env: { ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme} corp:${KEYS.corp}` },
  library: REVIEW_LIBRARY,
});
const { client } = stack;
const operator = new Client(() => stack.url, OPERATOR);

interface Inbox {
  items: InboxItem[];
  nextCursor: string | null;
}

const APPROVE = { toolId: 'review:approve', arguments: { what: 'the plan' } };
const submit = async (body: object, headers: Record<string, string>) => {
  const { status, body: accepted } = await client.post('/v1/invocations', body, headers);
  if (status !== 202) throw new Error(`refused with ${status}: ${JSON.stringify(accepted)}`);
  return accepted.id;
};
const inbox = async (query: string, headers: Record<string, string>) =>
  (await client.get<Inbox>(`/v1/inbox${query}`, headers)).body;
/** The inbox as soon as it has this number of items. */
const inboxOf = (count: number, headers: Record<string, string>, query = '') =>
  eventually(async () => {
    const { items } = await inbox(query, headers);
    return items.length === count ? items : undefined;
  });
const answer = (item: InboxItem, result: unknown, headers: Record<string, string>) =>
  client.post<{ code?: string; detail?: string }>(
    item.links.answer,
    { result, ...(item.nodeId !== null && { nodeId: item.nodeId }) },
    headers,
  );

describe('The inbox while workers are killed', () => {
  it('A wait stays listed over the death of each worker, and leaves with its end', async () => {
    const doomed = await stack.processes.start('worker');
    const id = await submit({ toolId: 'workflow:two', arguments: {} }, CORP);
    const [one, other] = await inboxOf(2, CORP);
    await stack.processes.end(doomed);
    expect((await inbox('', CORP)).items).toHaveLength(2);
    if (!one || !other) throw new Error('The inbox is empty');
    expect((await answer(one, 'x', CORP)).status).toBe(202);
    expect((await inbox('', CORP)).items).toMatchObject([{ nodeId: other.nodeId }]);
    await stack.processes.start('worker');
    await eventually(async () => (await operator.read(id)).status === 'waiting_external');
    expect((await inbox('', CORP)).items).toMatchObject([{ nodeId: other.nodeId }]);
    await answer(other, 'y', CORP);
    await inboxOf(0, CORP);
  });
});

describe('The inbox', () => {
  beforeAll(() => stack.start('worker'));

  it('An item has what a person needs for the answer, and leaves when the answer is stored', async () => {
    const id = await submit({ ...APPROVE, session: 's', options: { timeoutMs: 3_600_000 } }, ACME);
    const [item] = await inboxOf(1, ACME);
    expect(item).toEqual({
      kind: 'answer',
      id: `${id}.0`,
      invocationId: id,
      step: 0,
      nodeId: null,
      key: null,
      prompt: { what: 'the plan' },
      output: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
      askedAt: expect.stringMatching(/Z$/),
      until: expect.stringMatching(/Z$/),
      toolId: 'review:approve',
      arguments: { what: 'the plan' },
      agent: null,
      session: 's',
      links: { invocation: `/v1/invocations/${id}`, answer: `/v1/invocations/${id}/steps/0/result` },
    });
    expect((await inbox('?toolId=review:approve&kind=answer', ACME)).items).toHaveLength(1);
    for (const query of ['?agent=other', '?toolId=review:consent', '?kind=approval', '?kind=budget'])
      expect(await inbox(query, ACME)).toEqual({ items: [], nextCursor: null });
    expect(item && (await answer(item, { ok: true }, ACME)).status).toBe(202);
    expect((await inbox('', ACME)).items).toEqual([]);
  });

  it('If two people answer at once, one answer is stored and the other person reads that it is answered', async () => {
    await submit(APPROVE, ACME);
    const [item] = await inboxOf(1, ACME);
    if (!item) throw new Error('The inbox is empty');
    const both = await Promise.all([answer(item, { ok: true }, ACME), answer(item, { ok: false }, ACME)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([202, 409]));
    expect((await answer(item, { ok: both[0].status !== 202 }, ACME)).status).toBe(409);
    expect(both.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('answered already'),
    });
  });

  it('A tenant sees its own inbox, and the operator that of the tenant that it names', async () => {
    const id = await submit(APPROVE, ACME);
    await inboxOf(1, ACME);
    expect((await inbox('', CORP)).items).toEqual([]);
    expect((await inbox('', OPERATOR)).items).toEqual([]);
    expect((await inbox('?tenant=acme', OPERATOR)).items).toMatchObject([{ invocationId: id, tenant: 'acme' }]);
    expect((await client.get('/v1/inbox?tenant=acme', CORP)).status).toBe(403);
    expect((await client.get('/v1/inbox')).status).toBe(401);
    await client.post(`/v1/invocations/${id}/cancel`, {}, ACME);
    await inboxOf(0, ACME);
  });

  it('Malformed filters and cursors are refused', async () => {
    for (const query of [
      '?kind=question',
      '?limit=0',
      '?limit=101',
      '?cursor=x',
      '?status=x',
      '?toolId=a:b@1',
      '?agent=',
    ])
      expect(await client.get(`/v1/inbox${query}`, ACME)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
  });

  it('Two nodes that wait are two items, pages go on behind the last one, and a cursor belongs to its filters', async () => {
    await submit({ toolId: 'workflow:two', arguments: {} }, ACME);
    await inboxOf(2, ACME);
    const first = await inbox('?limit=1', ACME);
    const second = await inbox(`?limit=1&cursor=${first.nextCursor}`, ACME);
    const nodes = [...first.items, ...second.items].map(({ nodeId }) => nodeId);
    expect(new Set(nodes)).toEqual(new Set(['one', 'other']));
    expect(second.nextCursor).toBeNull();
    expect((await client.get(`/v1/inbox?agent=x&cursor=${first.nextCursor}`, ACME)).status).toBe(400);
    for (const item of [...first.items, ...second.items]) await answer(item, 'x', ACME);
    await inboxOf(0, ACME);
  });
});
