import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectEntry, Impact, ListedDelivery } from '@errand/contracts';
import { eventually } from './support/eventually.js';
import { GATE } from './support/gate-library.js';
import { useStack } from './support/start-stack.js';

const PLUGIN = `
name: shop
displayName: Shop
version: 1.0.0
description: Sells, once.
nodes: { entry: nodes/index.js }
tools:
  - id: shop:sell
    displayName: Sell
    description: Sells something to a customer.
    parameters: { type: object, properties: { to: { type: string } }, required: [to] }
    effects: once
    implementation: { type: service, serviceName: shop, methodName: sell }
`;
const NODES = `module.exports = { nodes: [], services: [{ name: 'shop', methods: { sell: ({ to }) => 'sold to ' + to } }] };`;

const stack = useStack({
  with: ['worker'],
  library: { ...GATE, 'plugins/shop/plugin.yaml': PLUGIN, 'plugins/shop/nodes/index.js': NODES },
  env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1' },
});
const { client } = stack;
const sell = (to: string) => ({ toolId: 'shop:sell', arguments: { to } });
const impactOf = async (id: string) => (await client.get<Impact>(`/v1/invocations/${id}/impact`)).body;

describe('The ledger of effects over HTTP', () => {
  it('An effect shows its step and the equal calls of its session', async () => {
    const first = await client.invoke({ ...sell('ann'), session: 's' });
    const second = await client.invoke({ calls: [sell('bob'), sell('ann')], session: 's' });
    await client.invoke({ ...sell('ann'), session: 't' });
    const list = async (query: string) =>
      (await client.get<{ items: EffectEntry[]; nextCursor: string | null }>(`/v1/effects${query}`)).body;
    const at = expect.any(String);
    expect((await list('?session=s')).items).toEqual([
      {
        session: 's',
        toolId: 'shop:sell',
        arguments: { to: 'bob' },
        at,
        status: 'succeeded',
        invocationId: second.id,
        step: 0,
        repeats: [],
      },
      {
        session: 's',
        toolId: 'shop:sell',
        arguments: { to: 'ann' },
        at,
        status: 'succeeded',
        invocationId: first.id,
        step: 0,
        repeats: [{ invocationId: second.id, step: 1, at }],
      },
    ]);
    const page = await list('?toolId=shop:sell&limit=2');
    expect([page.items.length, (await list('?toolId=shop:give')).items]).toEqual([2, []]);
    expect((await list(`?toolId=shop:sell&limit=2&cursor=${page.nextCursor}`)).items).toHaveLength(1);
    expect(await client.get(`/v1/effects?session=s&cursor=${page.nextCursor}`)).toMatchObject({ status: 400 });
  });
});

describe('The impact of a cancel', () => {
  it('A running invocation shows what runs, its effects and its debts, and an ended one nothing that a cancel touches', async () => {
    const [open, left] = [join(stack.folder, 'open'), join(stack.folder, 'left')];
    const calls = [sell('eve'), { toolId: 'gate:hold', arguments: { open, left } }];
    const id = await client.submit({ calls, session: 'impact', callback: { url: 'http://127.0.0.1:9/hook' } });
    await eventually(() => existsSync(`${left}.begun`), 'the second step runs');
    const repeated = await client.submit({ ...sell('eve'), session: 'impact' });
    await client.untilEnded(repeated);
    const running = await eventually(async () => {
      const impact = await impactOf(id);
      return impact.running.length > 0 && impact;
    }, 'the second step is stored as running');
    expect(running).toEqual({
      running: [{ step: 1, where: 'worker' }],
      children: 0,
      waiters: [],
      callbackOwed: true,
      effectsDone: [{ step: 0, toolId: 'shop:sell' }],
    });
    expect((await impactOf(repeated)).effectsDone).toEqual([]);
    await client.cancel(id);
    await client.untilEnded(id);
    expect(await impactOf(id)).toMatchObject({ running: [], waiters: [], callbackOwed: false });
  });

  it('An invocation that waits for another one is among its waiters', async () => {
    const [open, left] = [join(stack.folder, 'open-2'), join(stack.folder, 'left-2')];
    const hold = { toolId: 'gate:hold', arguments: { open, left } };
    const id = await client.submit({ calls: [hold, sell('zoe')] });
    await eventually(() => existsSync(`${left}.begun`), 'the first step runs');
    const waiter = await client.submit({ toolId: 'core:echo', arguments: { value: `{{job:${id}}}` } });
    await eventually(async () => (await impactOf(id)).waiters.includes(waiter), 'the other invocation waits');
    await client.cancel(id);
    await client.untilEnded(waiter);
  });
});

describe('The list of all deliveries over HTTP', () => {
  it('Deliveries are found by status and receiver, and a wrong filter is refused', async () => {
    const later = { toolId: 'core:delay', arguments: { ms: 0 }, options: { delayMs: 86_400_000 } };
    const id = await client.submit({ ...later, callback: { url: 'http://127.0.0.1:7/hook' } });
    const list = (query: string) => client.get<{ items: ListedDelivery[]; code: string }>(`/v1/deliveries${query}`);
    expect((await list('?receiver=127.0.0.1:7')).body).toMatchObject({
      items: [{ invocationId: id, index: 0, status: 'waiting', receiver: '127.0.0.1:7', attempts: [] }],
      nextCursor: null,
    });
    expect((await list('?status=waiting&receiver=127.0.0.1:8')).body.items).toEqual([]);
    expect((await list('?from=2099-01-01')).body.items).toEqual([]);
    for (const query of ['?status=gone', '?from=yesterday', '?limit=0', '?cursor=x', '?state=failed'])
      expect([query, await list(query)]).toEqual([
        query,
        expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'invalid_request' }) }),
      ]);
  });
});
