import type { Delivery } from '@errand/contracts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queues } from '@errand/queue';
import { Webhook } from 'standardwebhooks';
import { useStack } from './support/start-stack.js';
import { messageOf, WebhookReceiver, type Received, type Respond } from './support/webhook-receiver.js';
import { eventually } from './support/eventually.js';

const stack = useStack({
  with: ['worker'],
  env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1', ERRAND_CALLBACK_BACKOFF: '0 0.05 0.05' },
});
const { client } = stack;
const receivers: WebhookReceiver[] = [];

afterEach(() => receivers.splice(0).forEach((receiver) => receiver.stop()));

async function receive(respond?: Respond): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(respond);
  receivers.push(receiver);
  return receiver;
}

const ECHO = { toolId: 'core:echo', arguments: { value: 'hello' } };
const BROKEN = { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } };
const submit = (callback: object, body: object = ECHO) => client.submit({ ...body, callback });
const deliveriesOf = async (id: string): Promise<Delivery[]> =>
  (await client.get<{ items: Delivery[] }>(`/v1/invocations/${id}/deliveries`)).body.items;
const redeliver = (id: string, n: string | number) =>
  client.post<Delivery & { code?: string }>(`/v1/invocations/${id}/deliveries/${n}/redeliver`, '');
const verify = async ({ body, headers }: Received, secret?: string): Promise<unknown> => {
  const own = await readFile(join(stack.folder, 'data/webhook-secret'), 'utf8');
  return new Webhook(secret ?? own.trim()).verify(body, headers as Record<string, string>);
};

function untilDelivery(id: string, status: Delivery['status'], index = 0): Promise<Delivery> {
  return eventually(async () => {
    const delivery = (await deliveriesOf(id))[index];
    return delivery?.status === status && delivery;
  }, `delivery ${index} of ${id} is ${status}`);
}

describe('A callback', () => {
  it.each([
    ['succeeded', ECHO],
    ['failed', BROKEN],
  ])('The receiver gets a signed message when an invocation has %s', async (status, body) => {
    const receiver = await receive();
    const id = await submit({ url: receiver.url }, body);
    const [request] = await receiver.until(1);
    await verify(request!);
    const message = messageOf(request!);
    const invocation = await client.read(id);
    expect(message).toEqual({ type: `invocation.${status}`, timestamp: invocation.finishedAt, data: invocation });
    expect(invocation.status).toBe(status);
    expect(request!.headers).toMatchObject({
      'webhook-id': `msg_${id.slice(4)}`,
      'content-type': /^application\/json/,
    });
    expect(await untilDelivery(id, 'delivered')).toEqual({
      id: `msg_${id.slice(4)}`,
      index: 0,
      webhookId: `msg_${id.slice(4)}`,
      status: 'delivered',
      url: receiver.url,
      nextAttemptAt: null,
      attempts: [{ at: expect.any(String), durationMs: expect.any(Number), statusCode: 200 }],
    });
  });

  it('The receiver gets a message about an invocation that was cancelled before it began', async () => {
    const receiver = await receive();
    const id = await submit({ url: receiver.url }, { ...ECHO, options: { delayMs: 86_400_000 } });
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'waiting', attempts: [] }]);
    await client.cancel(id);
    const [request] = await receiver.until(1);
    expect(messageOf(request!)).toMatchObject({ type: 'invocation.cancelled', data: { id, status: 'cancelled' } });
  });

  it('The receiver gets a message about an invocation that exceeded its time limit', async () => {
    const receiver = await receive();
    const slow = { toolId: 'core:wait', arguments: { ms: 60_000 }, options: { timeoutMs: 50 } };
    await submit({ url: receiver.url }, slow);
    const [request] = await receiver.until(1);
    expect(messageOf(request!)).toMatchObject({ type: 'invocation.failed', data: { error: { type: 'TimeoutError' } } });
  });

  it('The receiver gets messages only about the events that the callback names', async () => {
    const receiver = await receive();
    const events = ['invocation.failed'];
    const id = await submit({ url: receiver.url, events });
    expect(await untilDelivery(id, 'skipped')).toMatchObject({ attempts: [] });
    await submit({ url: receiver.url, events }, BROKEN);
    const requests = await receiver.until(1);
    expect(requests.map((request) => messageOf(request).type)).toEqual(events);
  });

  it('A callback with its own secret is signed with it, and no response shows the secret', async () => {
    const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const receiver = await receive();
    const id = await submit({ url: receiver.url, secret });
    const [request] = await receiver.until(1);
    await verify(request!, secret);
    await expect(verify(request!)).rejects.toThrow('No matching signature');
    const shown = JSON.stringify([
      request!.body,
      await client.read(id),
      await deliveriesOf(id),
      (await redeliver(id, 0)).body,
    ]);
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(secret.slice(6));
  });

  it('A repair takes over the callback of the failed invocation', async () => {
    const receiver = await receive();
    const id = await submit({ url: receiver.url }, BROKEN);
    await receiver.until(1);
    const { body: repaired } = await client.retry(id, { steps: { 0: { inputs: { b: 2 } } } });
    const [, second] = await receiver.until(2);
    expect(messageOf(second!)).toMatchObject({ type: 'invocation.succeeded', data: { id: repaired.id, result: 0.5 } });
  });

  it('A message leaves out a result that is too long and links to it', async () => {
    const receiver = await receive();
    const id = await submit({ url: receiver.url }, { toolId: 'core:echo', arguments: { value: 'x'.repeat(400_000) } });
    const [request] = await receiver.until(1);
    expect(request!.body.length).toBeLessThan(262_144);
    expect(messageOf(request!).data).toMatchObject({
      id,
      truncated: true,
      result: null,
      links: { result: `/v1/invocations/${id}/result` },
    });
  });
});

describe('A callback that the receiver refuses', () => {
  it('A refused message is sent again with the same webhook-id and a valid signature until the receiver accepts it', async () => {
    const receiver = await receive((_request, response) =>
      response.writeHead(receiver.received.length < 3 ? 500 : 204).end(),
    );
    const id = await submit({ url: receiver.url });
    const requests = await receiver.until(3);
    for (const request of requests) await verify(request);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    const { attempts } = await untilDelivery(id, 'delivered');
    expect(attempts.map(({ statusCode }) => statusCode)).toEqual([500, 500, 204]);
  });

  it('A message fails after the last attempt of its schedule, and a redelivery sends it again', async () => {
    let isWell = false;
    const receiver = await receive((_request, response) => response.writeHead(isWell ? 200 : 503).end());
    const id = await submit({ url: receiver.url });
    const dead = await untilDelivery(id, 'failed');
    expect(dead.attempts).toHaveLength(4);
    isWell = true;
    const { status, body } = await redeliver(id, dead.id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ index: 1, webhookId: dead.webhookId });
    await untilDelivery(id, 'delivered', 1);
    expect((await redeliver(id, 1)).status).toBe(202);
    expect(await untilDelivery(id, 'delivered', 2)).toMatchObject({ webhookId: dead.webhookId });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('A message is not sent again after the receiver responded with 410', async () => {
    const receiver = await receive((_request, response) => response.writeHead(410).end());
    const id = await submit({ url: receiver.url });
    expect((await untilDelivery(id, 'failed')).attempts).toMatchObject([{ statusCode: 410 }]);
  });

  it('A failed delivery does not change the invocation', async () => {
    const receiver = await receive((_request, response) => response.destroy());
    const id = await submit({ url: receiver.url });
    await untilDelivery(id, 'failed');
    expect(await client.read(id)).toMatchObject({ status: 'succeeded', result: 'hello' });
  });

  it('Fifty receivers that hang do not delay the delivery to another receiver', async () => {
    const hanging = await Promise.all(Array.from({ length: 50 }, () => receive(() => {})));
    for (const receiver of hanging) await submit({ url: receiver.url });
    await Promise.all(hanging.map((receiver) => receiver.until(1)));
    const quick = await receive();
    const id = await submit({ url: quick.url });
    await untilDelivery(id, 'delivered');
    expect(hanging.map(({ received }) => received.length)).toEqual(hanging.map(() => 1));
  });
});

describe('The deliveries of an invocation', () => {
  it('An invocation without a callback has no deliveries', async () => {
    const { id } = await client.invoke(ECHO);
    expect(await deliveriesOf(id)).toEqual([]);
    expect(await redeliver(id, 0)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('The API responds with 404 to an unknown invocation and to an unknown delivery', async () => {
    const receiver = await receive();
    const id = await submit({ url: receiver.url });
    await untilDelivery(id, 'delivered');
    const unknown = `inv_${'0'.repeat(36)}`;
    for (const wrong of [1, 'msg_none', '-1', '0x0', '00'])
      expect(await redeliver(id, wrong)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await redeliver(unknown, 0)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await client.get(`/v1/invocations/${unknown}/deliveries`)).status).toBe(404);
  });

  it('A delivery cannot be sent again before its invocation has ended', async () => {
    const id = await submit({ url: 'https://example.com/' }, { ...ECHO, options: { delayMs: 86_400_000 } });
    expect(await redeliver(id, 0)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });
});

describe('A refused callback', () => {
  /** The last job ids of both queues in each shard. BullMQ increments them with every job that is added. */
  const accepted = () =>
    Promise.all(
      queues.flatMap(({ redis, keyspace }) =>
        ['invocations', 'deliveries'].map((queue) => redis.get(`${keyspace}:${queue}:id`)),
      ),
    );
  const refuse = async (callback: unknown) => {
    const before = await accepted();
    const body = { ...ECHO, callback };
    const answer = await client.post<{ code: string; errors: { path: string }[] }>('/v1/invocations', body);
    expect(await accepted()).toEqual(before);
    return answer;
  };
  let queues: Queues[];
  beforeAll(async () => {
    const root = await stack.openQueues();
    queues = root.shards?.all ?? [root];
  });

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'example.com/hook',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'http://localhost/',
    'http://sub.localhost./',
    'http://127.0.0.2/',
    'http://127.2/',
    'http://2130706434/',
    'http://0x7f.0.0.2/',
    'http://0177.0.0.2/',
    'http://①②⑦.0.0.2/',
    'http://127。0。0。2/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.2]/',
    'http://[64:ff9b::7f00:2]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('A callback to %s is refused', async (url) => {
    const { status, body } = await refuse({ url });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'unsupported_callback_url' });
    expect(body.errors).toMatchObject([{ path: '/callback/url' }]);
  });

  it.each([
    [{}, '/callback/url'],
    [{ url: 7 }, '/callback/url'],
    [{ url: 'https://example.com/', evnets: [] }, '/callback/evnets'],
    [{ url: 'https://example.com/', events: ['invocation.ended'] }, '/callback/events'],
    [{ url: 'https://example.com/', events: [] }, '/callback/events'],
    [{ url: 'https://example.com/', secret: 'whsec_short' }, '/callback/secret'],
    ['https://example.com/', '/callback'],
  ])('The callback %j is refused', async (callback, path) => {
    const { status, body } = await refuse(callback);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(body.errors).toMatchObject([{ path }]);
  });

  it('The error about a secret does not repeat the secret', async () => {
    const { body } = await refuse({ url: 'https://example.com/', secret: 'whsec_verysecretindeed' });
    expect(JSON.stringify(body)).not.toContain('verysecret');
  });
});
