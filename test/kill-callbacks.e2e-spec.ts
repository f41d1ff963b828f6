import type { ChildProcess } from 'node:child_process';
import type { Delivery } from '@errand/contracts';
import { useStack } from './support/start-stack.js';
import { messageOf, WebhookReceiver, type Respond } from './support/webhook-receiver.js';
import { eventually } from './support/eventually.js';

/** Kills workers at moments when a callback could be lost or sent under two ids. */
const stack = useStack(
  {
    // Workers start faster without the example library.
    library: {},
    // One delivery at a time: while one callback is being sent, another is still pending.
    env: {
      ERRAND_CALLBACK_ALLOW: '127.0.0.1',
      ERRAND_CALLBACK_CONCURRENCY: '1',
      ERRAND_CALLBACK_BACKOFF: '0 0 0 0',
    },
  },
  // The worker that takes over in one test is killed in the next one.
  { keepsProcesses: true },
);
const { client } = stack;
let receiver: WebhookReceiver;
let respond: Respond;

beforeEach(async () => {
  respond = (_request, response) => response.end();
  receiver = await WebhookReceiver.start((request, response) => respond(request, response));
});
afterEach(() => receiver.stop());

const submit = () => client.submit({ toolId: 'core:echo', arguments: { value: 1 }, callback: { url: receiver.url } });
const deliveryOf = async (id: string): Promise<Delivery> =>
  (await client.get<{ items: Delivery[] }>(`/v1/invocations/${id}/deliveries`)).body.items[0]!;
const webhookIds = () => receiver.received.map(({ headers }) => headers['webhook-id'] as string);

const untilDelivered = (id: string): Promise<Delivery> =>
  eventually(async () => {
    const delivery = await deliveryOf(id);
    return delivery.status === 'delivered' && delivery;
  }, `the callback of ${id} is delivered`);

it('A callback is sent although the worker dies between the end of the invocation and the sending', async () => {
  respond = () => {};
  const doomed = await stack.processes.haveOne('worker');
  await submit();
  await receiver.until(1);
  const id = await submit();
  await client.untilEnded(id);
  expect(await deliveryOf(id)).toMatchObject({ status: 'pending', attempts: [] });
  await stack.processes.end(doomed);
  respond = (_request, response) => response.end();
  await stack.processes.start('worker');
  expect(await untilDelivered(id)).toMatchObject({ attempts: [{ statusCode: 200 }] });
  expect(webhookIds().filter((webhookId) => webhookId === `msg_${id.slice(4)}`)).toHaveLength(1);
});

it('A callback is sent again with its webhook-id when the worker dies before it stores the delivery', async () => {
  const doomed = await stack.processes.haveOne('worker');
  const died = new Promise(
    (resolve) =>
      (respond = (_request, response) => {
        void stack.processes.end(doomed).then(resolve);
        response.on('error', () => {});
      }),
  );
  const id = await submit();
  await died;
  expect(await deliveryOf(id)).toMatchObject({ status: 'pending', attempts: [] });
  respond = (_request, response) => response.end();
  await stack.processes.start('worker');
  await untilDelivered(id);
  expect(webhookIds()).toEqual([`msg_${id.slice(4)}`, `msg_${id.slice(4)}`]);
  const [first, second] = receiver.received;
  expect(second!.body).toBe(first!.body);
});

it('A worker finishes its current delivery after SIGTERM', async () => {
  const leaving = await stack.processes.haveOne('worker');
  let answer: () => void = () => {};
  respond = (_request, response) => (answer = () => response.end());
  const id = await submit();
  await receiver.until(1);
  const left = stack.processes.end(leaving, 'SIGTERM');
  answer();
  expect(await left).toBe(0);
  expect(await deliveryOf(id)).toMatchObject({ status: 'delivered', attempts: [{ statusCode: 200 }] });
  expect(webhookIds()).toHaveLength(1);
});

it('Every callback is sent under one webhook-id while workers die repeatedly', async () => {
  let worker: ChildProcess = await stack.processes.haveOne('worker');
  const deaths: Promise<void>[] = [];
  const replaceWorker = async () => {
    await stack.processes.end(worker);
    worker = await stack.processes.start('worker');
  };
  respond = (_request, response) => {
    response.on('error', () => {});
    // Every tenth request kills the worker before the response, together with all its running jobs.
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
