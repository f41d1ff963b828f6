import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery } from '@errand/contracts';
import { startApi } from '../apps/api/src/start.js';
import { Client } from './support/http.js';
import { Processes } from './support/start-process.js';
import { startRedis, type TestRedis } from './support/start-redis.js';
import { messageOf, WebhookReceiver, type Respond } from './support/webhook-receiver.js';

/** Workers that are killed where a callback could be lost, or sent twice as two. */
let redis: TestRedis;
let data: string;
let api: Awaited<ReturnType<typeof startApi>>;
let client: Client;
let processes: Processes;
let receiver: WebhookReceiver;
let respond: Respond;

beforeAll(async () => {
  redis = await startRedis();
  data = await mkdtemp(join(tmpdir(), 'errand-kill-callbacks-'));
  const shared = { ERRAND_REDIS_URL: redis.url, ERRAND_CALLBACK_ALLOW: '127.0.0.1' };
  // One at a time, so that of two callbacks one has not been sent while the other is on its way.
  const env = {
    ...shared,
    ERRAND_DATA_DIR: data,
    ERRAND_CALLBACK_CONCURRENCY: '1',
    ERRAND_CALLBACK_BACKOFF: '0 0 0 0',
  };
  processes = new Processes(env);
  api = await startApi({ ...shared, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'fatal' });
  client = new Client(api.url);
});
beforeEach(async () => {
  respond = (_request, response) => response.end();
  receiver = await WebhookReceiver.start((request, response) => respond(request, response));
});
afterEach(async () => {
  await processes.endAll();
  receiver.stop();
});
afterAll(async () => {
  await api.close();
  await redis.stop();
  await rm(data, { recursive: true });
});

const submit = async (): Promise<string> => {
  const body = { toolId: 'core:echo', arguments: { value: 1 }, callback: { url: receiver.url } };
  return (await client.post('/v1/invocations', body)).body.id;
};
const deliveryOf = async (id: string): Promise<Delivery> =>
  (await client.get<{ items: Delivery[] }>(`/v1/invocations/${id}/deliveries`)).body.items[0]!;
const webhookIds = () => receiver.received.map(({ headers }) => headers['webhook-id'] as string);

async function untilDelivered(id: string): Promise<Delivery> {
  for (;;) {
    const delivery = await deliveryOf(id);
    if (delivery.status === 'delivered') return delivery;
  }
}

it('a callback is sent, though the worker dies between the end of the invocation and the sending', async () => {
  respond = () => {};
  const doomed = await processes.start('worker');
  await submit();
  await receiver.until(1);
  const id = await submit();
  await client.untilEnded(id);
  expect(await deliveryOf(id)).toMatchObject({ status: 'pending', attempts: [] });
  await processes.end(doomed);
  respond = (_request, response) => response.end();
  await processes.start('worker');
  expect(await untilDelivered(id)).toMatchObject({ attempts: [{ statusCode: 200 }] });
  expect(webhookIds().filter((webhookId) => webhookId === `msg_${id.slice(4)}`)).toHaveLength(1);
});

it('is sent again under its webhook-id, where the worker dies between the sending and the noting', async () => {
  const doomed = await processes.start('worker');
  const died = new Promise(
    (resolve) =>
      (respond = (_request, response) => {
        void processes.end(doomed).then(resolve);
        response.on('error', () => {});
      }),
  );
  const id = await submit();
  await died;
  expect(await deliveryOf(id)).toMatchObject({ status: 'pending', attempts: [] });
  respond = (_request, response) => response.end();
  await processes.start('worker');
  await untilDelivered(id);
  expect(webhookIds()).toEqual([`msg_${id.slice(4)}`, `msg_${id.slice(4)}`]);
  const [first, second] = receiver.received;
  expect(second!.body).toBe(first!.body);
});

it('is taken to its end by a worker that is asked to stop', async () => {
  const leaving = await processes.start('worker');
  let answer: () => void = () => {};
  respond = (_request, response) => (answer = () => response.end());
  const id = await submit();
  await receiver.until(1);
  const left = processes.end(leaving, 'SIGTERM');
  answer();
  expect(await left).toBe(0);
  expect(await deliveryOf(id)).toMatchObject({ status: 'delivered', attempts: [{ statusCode: 200 }] });
  expect(webhookIds()).toHaveLength(1);
});

it('of many each is sent, each under one webhook-id, while workers die all the time', async () => {
  let worker: ChildProcess = await processes.start('worker');
  const deaths: Promise<void>[] = [];
  const replaceWorker = async () => {
    await processes.end(worker);
    worker = await processes.start('worker');
  };
  respond = (_request, response) => {
    response.on('error', () => {});
    // Every tenth dies before the receiver has answered, and with it all that the worker has in hand.
    if (receiver.received.length % 10 === 0) deaths.push(replaceWorker());
    else response.end();
  };
  const ids = await Promise.all(Array.from({ length: 30 }, submit));
  for (const id of ids) {
    await client.untilEnded(id);
    await untilDelivered(id);
  }
  await Promise.all(deaths);
  expect(deaths.length).toBeGreaterThanOrEqual(3);
  expect(new Set(webhookIds())).toEqual(new Set(ids.map((id) => `msg_${id.slice(4)}`)));
  expect(new Set(receiver.received.map((request) => messageOf(request).data.id)).size).toBe(ids.length);
});
