import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { Webhook } from 'standardwebhooks';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';
import { WebhookReceiver, type Received, type Respond } from './support/webhook-receiver.js';
import { a2aClient, message, request, send, type A2aVersion } from './support/a2a-clients.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const model = useScriptedModel();
const stack = useStack({
  with: ['worker'],
  library: turnLibrary(),
  env: {
    ERRAND_CALLBACK_ALLOW: '127.0.0.1',
    ERRAND_CALLBACK_BACKOFF: Array(1_000).fill('0.05').join(' '),
    ERRAND_WEBHOOK_SECRET: SECRET,
    ERRAND_LOCK_MS: '1000',
    ERRAND_STALLED_MS: '500',
  },
});

const receivers: WebhookReceiver[] = [];
afterEach(() => receivers.splice(0).forEach((receiver) => receiver.stop()));
async function receive(respond?: Respond): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(respond);
  receivers.push(receiver);
  return receiver;
}

const config = (url: string, over: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => ({
  tenant: '',
  id: '',
  taskId: '',
  url,
  token: '',
  authentication: undefined,
  ...over,
});

interface Body {
  statusUpdate?: { taskId: string; status: { state: string; message?: { parts: { text?: string }[] } } };
  kind?: string;
  status?: { state: string };
}
const bodyOf = ({ body }: Received) => JSON.parse(body) as Body;
const statesOf = (received: readonly Received[]) =>
  received.map((one) => bodyOf(one).statusUpdate?.status.state.replace('TASK_STATE_', ''));
const ASK = 'I ask.\n<ACTION><test:ask/></ACTION>';
const WHOLE = ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'WORKING', 'COMPLETED'];

/** The states without those that a busy worker can hide: a wait that ends before the receiver gets it keeps its place. */
async function untilState(receiver: WebhookReceiver, state: string): Promise<Received[]> {
  for (let count = 1; ; count++) {
    const received = await receiver.until(count);
    if (statesOf(received).includes(state)) return received;
  }
}

describe('Push notifications of A2A 1.0', () => {
  let client: Client;
  beforeAll(async () => (client = await a2aClient(stack.url, 'guide', '1.0')));

  it('Every state of a task arrives in order, signed, with the token and the credentials', async () => {
    model.current.restart([ASK, 'You said blue.']);
    const receiver = await receive();
    const authentication = { scheme: 'Bearer', credentials: 'c'.repeat(20) };
    const taskPushNotificationConfig = config(receiver.url, { token: 'my token', authentication });
    const waiting = await send(client, request('Ask me', { taskPushNotificationConfig }));
    await untilState(receiver, 'INPUT_REQUIRED');
    await send(client, request(message('blue', { taskId: waiting.id })));
    const received = await untilState(receiver, 'COMPLETED');
    expect(statesOf(received)).toEqual(WHOLE);
    for (const { headers, body } of received) {
      expect(headers).toMatchObject({
        'content-type': 'application/a2a+json',
        'x-a2a-notification-token': 'my token',
        authorization: `Bearer ${'c'.repeat(20)}`,
      });
      new Webhook(SECRET).verify(body, headers as Record<string, string>);
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
    const last = bodyOf(received[4]!).statusUpdate;
    expect(last).toMatchObject({ taskId: waiting.id, status: { message: { parts: [{ text: 'You said blue.' }] } } });
  });

  it('A receiver that fails gets the same message again before the next state', async () => {
    model.current.restart(['Hello.']);
    let failures = 2;
    const receiver = await receive((_, response) => response.writeHead(failures-- > 0 ? 500 : 204).end());
    const { id } = await send(client, request('Hello', { taskPushNotificationConfig: config(receiver.url) }));
    const received = await untilState(receiver, 'COMPLETED');
    const ids = received.map(({ headers }) => headers['webhook-id']);
    const states = statesOf(received);
    expect(states.slice(0, 3)).toEqual(Array(3).fill(states[0]));
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(new Set(received.slice(0, 3).map(({ body }) => body)).size).toBe(1);
    expect(ids[0]).toContain(id.replace('inv_', 'msg_'));
  });

  it('Two receivers get every state, and a deleted configuration gets none', async () => {
    model.current.restart([ASK, 'Done.']);
    const [first, second, third] = [await receive(), await receive(), await receive()];
    const taskPushNotificationConfig = config(first.url, { id: 'first' });
    const { id: taskId } = await send(client, request('Ask me', { taskPushNotificationConfig }));
    const created = await client.createTaskPushNotificationConfig(config(second.url, { taskId, id: 'second' }));
    expect(created).toMatchObject({ id: 'second', taskId, url: second.url });
    await client.createTaskPushNotificationConfig(config(third.url, { taskId, id: 'third' }));
    await untilState(third, 'INPUT_REQUIRED');
    const list = await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' });
    expect(list.configs.map(({ id }) => id)).toEqual(['first', 'second', 'third']);
    await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'third' });
    await expect(client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'third' })).rejects.toThrow('third');
    expect(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'first' })).toMatchObject({
      url: first.url,
    });
    await send(client, request(message('blue', { taskId })));
    expect(statesOf(await untilState(first, 'COMPLETED'))).toEqual(WHOLE);
    expect(statesOf(await untilState(second, 'COMPLETED'))).toEqual(WHOLE.slice(2));
    expect(statesOf(third.received)).toEqual(['INPUT_REQUIRED']);
  });

  it('A killed worker loses no state', async () => {
    model.current.restart([ASK, 'Done.']);
    let isUp = false;
    const receiver = await receive((_, response) => response.writeHead(isUp ? 204 : 500).end());
    const worker = await stack.processes.start('worker', model.current.env);
    const taskPushNotificationConfig = config(receiver.url);
    const { id } = await send(client, request('Ask me', { taskPushNotificationConfig }));
    worker.kill('SIGKILL');
    isUp = true;
    await send(client, request(message('blue', { taskId: id })));
    const received = await untilState(receiver, 'COMPLETED');
    const states = statesOf(received);
    const order = states.filter((state, n) => state !== states[n - 1]);
    expect(order.filter((state) => state !== 'SUBMITTED').join()).toMatch(
      /^WORKING,INPUT_REQUIRED,(WORKING,)+COMPLETED$/,
    );
  });

  it.each([
    ['http://10.0.0.1/', undefined],
    ['http://169.254.169.254/latest', undefined],
    ['ftp://x.example/', undefined],
    ['https://user:secret@x.example/', undefined],
    ['nonsense', undefined],
    ['', undefined],
    ['https://x.example/', { token: 'a\r\nhost: evil' }],
    ['https://x.example/', { authentication: { scheme: 'Bearer x', credentials: 'y' } }],
    ['https://x.example/', { authentication: { scheme: 'Bearer', credentials: 'a\nb' } }],
    ['https://x.example/', { id: 'x'.repeat(300) }],
  ])('The receiver %j with %j is refused, and nothing runs', async (url, over) => {
    model.current.restart([]);
    const taskPushNotificationConfig = config(url, over);
    await expect(send(client, request('Hello', { taskPushNotificationConfig }))).rejects.toMatchObject({
      name: expect.stringContaining('RequestMalformed'),
    });
    expect(model.current.requests).toEqual([]);
  });
});

it('A configuration of A2A 0.3 gets the events of 0.3', async () => {
  model.current.restart(['Hello.']);
  const version: A2aVersion = '0.3';
  const client = await a2aClient(stack.url, 'guide', version);
  const receiver = await receive();
  await send(client, request('Hello', { taskPushNotificationConfig: config(receiver.url, { id: 'p' }) }));
  const received = await receiver.until(3);
  expect(received.map((one) => [bodyOf(one).kind, bodyOf(one).status?.state])).toEqual([
    ['status-update', 'submitted'],
    ['status-update', 'working'],
    ['status-update', 'completed'],
  ]);
});
