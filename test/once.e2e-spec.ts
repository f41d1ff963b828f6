import type { Invocation } from '@errand/contracts';
import { Client, type Answer, type Told } from './support/client.js';
import { useStack } from './support/start-stack.js';

/**
 * The number of keys, and how often each is sent at once. The chaos test `bench/drills/once.mjs` uses more, and
 * separate processes.
 */
const KEYS = 20;
const TIMES = 50;

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
  - id: shop:sold
    displayName: Sold
    description: How often it was sold.
    parameters: { type: object, properties: { to: { type: string } }, required: [to] }
    implementation: { type: service, serviceName: shop, methodName: sold }
`;
/** Both workers run in the process of the test. Each loads the plugin anew, so the counter is a global variable. */
const NODES = `
const sold = (globalThis.sold ??= new Map());
module.exports = { nodes: [], services: [{ name: 'shop', methods: {
  sell: async ({ to }) => { sold.set(to, (sold.get(to) ?? 0) + 1); await new Promise((resolve) => setTimeout(resolve, 20)); return sold.get(to); },
  sold: ({ to }) => sold.get(to) ?? 0,
} }] };`;

const stack = useStack({
  with: ['worker', 'worker'],
  library: { 'plugins/shop/plugin.yaml': PLUGIN, 'plugins/shop/nodes/index.js': NODES },
});
const { client } = stack;
let clients: Client[];
beforeAll(async () => {
  clients = [client, new Client(await stack.startApi())];
});

/**
 * Sends the same request many times at once, to each API in turn. On a busy machine Redis can be late: a request with a key is sent again
 * after a 503.
 */
function sendAtOnce(times: number, body: object, headers: Record<string, string> = {}): Promise<Answer<Told>[]> {
  const send = async (to: Client): Promise<Answer<Told>> => {
    const answer = await to.post('/v1/invocations', body, headers);
    return answer.status === 503 && headers['idempotency-key'] ? send(to) : answer;
  };
  return Promise.all(Array.from({ length: times }, (_, n) => send(clients[n % clients.length]!)));
}

async function listAll(filter: string): Promise<Invocation[]> {
  const { body } = await client.get<{ items: Invocation[] }>(`/v1/invocations?limit=1000&${filter}`);
  return body.items;
}

it('The same idempotency key, sent many times at once to two APIs, creates one invocation', async () => {
  const request = (n: number) => ({ toolId: 'core:echo', arguments: { value: n }, metadata: { drill: 'keys' } });
  const keyOf = (n: number) => ({ 'idempotency-key': `key-${n}` });
  const sent: Answer<Told>[][] = [];
  for (let n = 0; n < KEYS; n++) sent.push(await sendAtOnce(TIMES, request(n), keyOf(n)));
  expect(new Set(sent.flat().map(({ status }) => status))).toEqual(new Set([202]));
  const ids = sent.map((answers) => [...new Set(answers.map(({ body }) => body.id))]);
  expect(ids.every(({ length }) => length === 1)).toBe(true);
  const listed = await listAll('metadata.drill=keys');
  expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.flat().toSorted());
  expect(listed).toHaveLength(KEYS);
  for (let n = 0; n < KEYS; n++) expect((await client.untilEnded(ids[n]![0]!)).result).toBe(n);
});

it('Two bodies under one idempotency key create one invocation, and the other body gets a conflict', async () => {
  const answers = await Promise.all(
    ['this', 'that'].map((value) =>
      sendAtOnce(TIMES, { toolId: 'core:echo', arguments: { value } }, { 'idempotency-key': 'contested' }),
    ),
  );
  const statuses = answers.map((ofBody) => [...new Set(ofBody.map(({ status }) => status))].join());
  expect(new Set(statuses)).toEqual(new Set(['202', '409']));
  const taken = answers.flat().filter(({ status }) => status === 202);
  expect(new Set(taken.map(({ body }) => body.id)).size).toBe(1);
});

it('The same call, sent many times at once in a session, has one effect', async () => {
  const sessions = Array.from({ length: 10 }, (_, n) => `session ${n}`);
  const sent = await Promise.all(
    sessions.map((session) => sendAtOnce(20, { toolId: 'shop:sell', arguments: { to: session }, session })),
  );
  for (const [n, answers] of sent.entries()) {
    const ended = await Promise.all(answers.map(({ body }) => client.untilEnded(body.id)));
    expect(new Set(ended.map(({ status, result }) => `${status} ${JSON.stringify(result)}`))).toEqual(
      new Set(['succeeded 1']),
    );
    const first = ended.filter(({ steps }) => steps[0]!.deduplicatedFrom === undefined);
    expect(first).toHaveLength(1);
    for (const { id, steps } of ended)
      if (id !== first[0]!.id) expect(steps[0]!.deduplicatedFrom).toEqual({ invocationId: first[0]!.id, step: 0 });
    expect((await client.invoke({ toolId: 'shop:sold', arguments: { to: sessions[n] } })).result).toBe(1);
  }
});
