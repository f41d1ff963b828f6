import { EventEmitter, once } from 'node:events';
import { newInvocationId } from '@errand/contracts';
import { consume, EventWriter, submitInvocation, NotificationHub, type Consumer, type Queues } from '@errand/queue';
import Fastify from 'fastify';
import { readEventStream, type SentEvent } from '../../../test/support/client.js';
import { eventually } from '../../../test/support/eventually.js';
import { memoryHeld } from '../../../test/support/memory-held.js';
import { useStack } from '../../../test/support/start-stack.js';
import { sendEventStream } from '../src/stream/send-event-stream.js';
import type { StreamItem } from '../src/stream/event-stream.js';
import { rawGet } from './raw-request.js';

const stack = useStack();
let queues: Queues;
/** The addresses of two API processes. */
let apis: readonly [string, string];
let consumer: Consumer;
let notifications: NotificationHub;
/** Emits the id of each invocation that begins. */
const runs = new EventEmitter();
/** Functions that end the run of an invocation, by its id. */
const finish = new Map<string, () => void>();

beforeAll(async () => {
  queues = await stack.openQueues();
  notifications = stack.keep(await NotificationHub.open(stack.redis.url));
  apis = [stack.url, await stack.startApi()];
  const options = { concurrency: 10, lockMs: 10_000, stalledMs: 5_000, onError: () => {} };
  consumer = stack.keep(
    consume(stack.redis.url, 'invocations', options, async ({ id }) => {
      await new Promise<void>((resolve) => {
        finish.set(id, resolve);
        runs.emit(id);
      });
      return { steps: [{ status: 'succeeded', result: 'done' }] };
    }),
  );
  await consumer.ready();
});

const CALL = { toolId: 'test:tool', version: '1.0.0', digest: 'd', kind: 'node', arguments: {} } as const;

/** Starts an invocation that runs until `finish` is called for it. @returns its id and the writer of its events */
async function begin(): Promise<{ id: string; events: EventWriter }> {
  const id = newInvocationId();
  const begun = once(runs, id);
  await submitInvocation(queues, 'invocations', id, { tenant: 'default', mode: 'sequence', calls: [CALL] });
  await begun;
  const fail = (error: unknown) => {
    throw error;
  };
  return { id, events: new EventWriter(queues, id, fail) };
}

async function tellLines(events: EventWriter, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) events.emit({ event: 'log', line: `line ${n}`, stream: 'node', step: 0 });
  await events.flush();
}

const linesOf = (events: readonly SentEvent[]) =>
  events.filter(({ event }) => event === 'log').map(({ data }) => data['line']);
const linesTo = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`);
const kindsOf = (events: readonly SentEvent[]) => events.map(({ event, data }) => data['status'] ?? event);
const streamOf = (api: string, id: string) => `${api}/v1/invocations/${id}/events`;

describe('The event stream', () => {
  it('An event stream resumes after each of its ids on another process, without gaps or duplicates, also across the end', async () => {
    const { id, events } = await begin();
    await tellLines(events, 0, 150);
    finish.get(id)!();
    const [here, there] = apis;
    const all = await readEventStream(streamOf(here, id));
    expect(linesOf(all)).toEqual(linesTo(150));
    expect(all.slice(-3).map(({ event }) => event)).toEqual(['step', 'status', 'end']);
    const untimed = (sent: readonly SentEvent[]) => sent.map(({ id: at, event, data: { line } }) => [at, event, line]);
    for (const cut of [0, 1, 63, 64, 149, all.length - 2]) {
      const rest = await readEventStream(streamOf(there, id), { 'last-event-id': all[cut]!.id });
      expect(untimed(rest)).toEqual(untimed(all.slice(cut + 1)));
    }
    const over = await fetch(streamOf(there, id), { headers: { 'last-event-id': all.at(-1)!.id } });
    expect([over.status, await over.text()]).toEqual([204, '']);
  });

  it('An event stream that was cut during the run repeats neither the status nor other events', async () => {
    const { id, events } = await begin();
    await tellLines(events, 0, 3);
    const first = await rawGet(apis[0], `/v1/invocations/${id}/events`);
    await new Promise<void>((resolve) =>
      first.socket.on('data', (chunk) => String(chunk).includes('line 2') && resolve()),
    );
    first.socket.destroy();
    const rest = readEventStream(streamOf(apis[1], id), { 'last-event-id': '2-running' });
    await tellLines(events, 3, 5);
    finish.get(id)!();
    expect(kindsOf(await rest)).toEqual(['log', 'log', 'log', 'succeeded', 'succeeded', 'end']);
    expect(linesOf(await rest)).toEqual(['line 2', 'line 3', 'line 4']);
  });

  it('A gap event gives the number of removed events', async () => {
    const { id, events } = await begin();
    await tellLines(events, 0, 10);
    await queues.redis.xtrim(`{errand}:events:${id}`, 'MAXLEN', 4);
    finish.get(id)!();
    const whole = await readEventStream(streamOf(apis[0], id));
    expect(whole.find(({ event }) => event === 'gap')).toMatchObject({
      id: expect.stringMatching(/^6/),
      data: { missing: 6 },
    });
    expect(linesOf(whole)).toEqual(linesTo(10).slice(6));
    const later = await readEventStream(streamOf(apis[0], id), { 'last-event-id': '4' });
    expect(later.find(({ event }) => event === 'gap')).toMatchObject({ data: { missing: 2 } });
    const exact = await readEventStream(streamOf(apis[0], id), { 'last-event-id': '6' });
    expect(exact.some(({ event }) => event === 'gap')).toBe(false);
  });

  it.each(['x', '12-nonsense', '-1', '1-2', '9'.repeat(20)])('The Last-Event-ID %s is refused', async (lastEventId) => {
    const { id } = await begin();
    const { status } = await fetch(streamOf(apis[0], id), { headers: { 'last-event-id': lastEventId } });
    expect(status).toBe(400);
    finish.get(id)!();
  });

  it('300 clients share one subscription and one read, and use bounded memory', async () => {
    // More clients would block this process, which is server and client at once, from reading Redis in time.
    const LISTENERS = 300;
    const LINES = 500;
    const { id, events } = await begin();
    const subscriptions = async () => (await queues.redis.pubsub('NUMSUB', '{errand}:news'))[1];
    const before = await subscriptions();
    const path = `/v1/invocations/${id}/events`;
    const clients = Array.from({ length: LISTENERS }, () => new Heard());
    const listeners = await Promise.all(
      clients.map((client) => rawGet(apis[0], path, { onText: (text) => client.take(text) })),
    );
    expect(await subscriptions()).toBe(before);
    const heap = memoryHeld();
    const reads = await callsOf('xrange');
    await tellLines(events, 0, LINES);
    const whileStreaming = memoryHeld();
    finish.get(id)!();
    await Promise.all(listeners.map(({ ended }) => ended));
    for (const client of clients) expect(client).toMatchObject({ lines: LINES, ends: 1, inOrder: true });
    expect((await callsOf('xrange')) - reads).toBeLessThan(LISTENERS);
    // 300 clients with 500 lines each would hold 24 MB.
    expect(whileStreaming - heap).toBeLessThan(12 * 2 ** 20);
    expect(memoryHeld() - heap).toBeLessThan(6 * 2 ** 20);
  });
});

/** Counts the events of one client without storing them. */
class Heard {
  lines = 0;
  ends = 0;
  inOrder = true;
  private rest = '';

  take(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop()!;
    for (const block of blocks) {
      const line = /"line":"line (\d+)"/.exec(block)?.[1];
      if (line !== undefined) this.inOrder &&= Number(line) === this.lines++;
      if (/^event: end$/m.test(block)) this.ends++;
    }
  }
}

async function callsOf(command: string): Promise<number> {
  const text = await queues.redis.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1] ?? 0);
}

describe('A client of an event stream', () => {
  const event = (line: string): StreamItem => ({
    kind: 'event',
    id: '1',
    event: 'log',
    data: JSON.stringify({ line }),
  });

  /** A server that responds to each request with one stream. `ended` resolves when the stream has ended. */
  async function serveStream(items: AsyncIterable<StreamItem>, patienceMs: number) {
    const server = Fastify();
    const ended = new Promise<void>((resolve) => {
      server.get('/', async (request, reply) => {
        request.raw.once('close', () => hungUp.emit('close'));
        await sendEventStream(reply, items, patienceMs);
        resolve();
      });
    });
    return { ended, server, origin: await server.listen({ port: 0, host: '127.0.0.1' }) };
  }
  const hungUp = new EventEmitter();

  it('A client that reads nothing is disconnected, and no more is read for it than its socket takes', async () => {
    let emitted = 0;
    let left = false;
    const endless = async function* (): AsyncGenerator<StreamItem> {
      try {
        for (;;) {
          emitted += 1;
          yield event('x'.repeat(60_000));
        }
      } finally {
        left = true;
      }
    };
    const { server, origin, ended } = await serveStream(endless(), 300);
    const { socket } = await rawGet(origin, '/', { unanswered: true });
    socket.pause();
    await ended;
    expect(left).toBe(true);
    // The buffers of the kernel for both ends of a connection.
    expect(emitted * 60_000).toBeLessThan(32 * 2 ** 20);
    socket.destroy();
    await server.close();
  });

  it('The server does not wait for a client that hung up before the first event', async () => {
    const late = async function* (): AsyncGenerator<StreamItem> {
      await once(hungUp, 'close');
      yield event('too late');
    };
    const { server, origin, ended } = await serveStream(late(), 3_600_000);
    const { socket } = await rawGet(origin, '/');
    socket.destroy();
    await ended;
    await server.close();
  });
});

describe('Waiting for the end of an invocation', () => {
  it('500 waiting clients cost one read each at the beginning and fewer than one each at the end', async () => {
    const WAITERS = 500;
    // Commands within a second that do not depend on the number of waiting clients: blocking reads and heartbeats of
    // the consumer.
    const QUIET = 50;
    const { id } = await begin();
    const path = `/v1/invocations/${id}?wait=60`;
    const reads = await callsOf('hgetall');
    const waiters = await Promise.all(
      Array.from({ length: WAITERS }, () => rawGet(apis[0], path, { unanswered: true })),
    );
    // The first reads may take some time. With polling clients, no second would be this quiet.
    await eventually(async () => (await commandsWithin(1_000)) <= QUIET);
    const whileWaiting = await callsOf('hgetall');
    finish.get(id)!();
    const answers = await Promise.all(waiters.map(({ ended }) => ended));
    for (const answer of answers) {
      expect(answer).toContain('HTTP/1.1 200');
      expect(answer).toContain('"status":"succeeded"');
    }
    const perRead = 3;
    expect(whileWaiting - reads).toBeLessThanOrEqual(WAITERS * perRead);
    expect((await callsOf('hgetall')) - whileWaiting).toBeLessThan(WAITERS);
  });
});

/** The number of commands that Redis gets within `ms` milliseconds, without the query itself. */
async function commandsWithin(ms: number): Promise<number> {
  const count = async () => Number(/total_commands_processed:(\d+)/.exec(await queues.redis.info('stats'))![1]);
  const before = await count();
  await notifications.until('nobody', AbortSignal.timeout(ms), async () => undefined);
  return (await count()) - before - 1;
}
