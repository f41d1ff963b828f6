import { startRedis, type TestRedis } from '../../../test/support/start-redis.js';
import {
  connectQueues,
  consume,
  readInvocation,
  submitInvocation,
  SuspendJob,
  NotificationHub,
  type ConsumeOptions,
  type Consumer,
  type InvocationRecord,
  type Outcome,
  type QueueBounds,
  type Queues,
  type Retention,
  type StoredInvocation,
  type SubmitOptions,
  type Work,
  type WorkQueue,
} from '../src/index.js';
import { newInvocationId } from '@errand/contracts';
import { PATIENCE_MS } from '../../../test/support/eventually.js';

export interface QueueSettings {
  retention?: Retention;
  bounds?: QueueBounds;
  /** A separate Redis for each test instead of one for the file. */
  each?: boolean;
}

/** The queues on a separate Redis, and their consumers. */
export class TestQueues {
  redis!: TestRedis;
  queues!: Queues;
  notifications!: NotificationHub;
  private readonly consumers: Consumer[] = [];

  async open({ retention = { ageSeconds: 3_600, count: 1_000 }, bounds }: QueueSettings): Promise<void> {
    this.redis = await startRedis();
    this.queues = connectQueues(this.redis.url, retention, bounds);
    // The commands of many jobs at a time take long on a busy machine.
    this.queues.redis.options.commandTimeout = PATIENCE_MS;
    this.notifications = await NotificationHub.open(this.redis.url);
  }

  /** Takes jobs until the test ends. It looks for stalled jobs every 500 ms. */
  readonly serve = async (
    queue: WorkQueue,
    handle: (work: Work) => Promise<Outcome>,
    over: Partial<ConsumeOptions> = {},
  ): Promise<Consumer> => {
    const options = { concurrency: 10, lockMs: 1_000, stalledMs: 500, onError: () => {}, ...over };
    const consumer = this.keep(consume(this.redis.url, queue, options, handle));
    await consumer.ready();
    return consumer;
  };

  /** Closes the consumer at the end of the test. */
  readonly keep = (consumer: Consumer): Consumer => {
    this.consumers.push(consumer);
    return consumer;
  };

  /** Enqueues an invocation with one call and returns its id. */
  readonly submit = async (options: SubmitOptions = {}, over: Partial<InvocationRecord> = {}): Promise<string> => {
    const id = newInvocationId();
    await submitInvocation(this.queues, 'invocations', id, recordOf(over), options);
    return id;
  };

  /** The invocation as soon as it has one of these statuses or matches one of these functions. */
  readonly until = async (
    id: string,
    ...wanted: (string | ((invocation: StoredInvocation) => boolean))[]
  ): Promise<StoredInvocation> => {
    const fits = (now: StoredInvocation) =>
      wanted.some((isSo) => (typeof isSo === 'string' ? isSo === now.status : isSo(now)));
    const found = await this.notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () => {
      const invocation = await readInvocation(this.queues, 'default', id);
      return invocation && fits(invocation) ? invocation : undefined;
    });
    if (!found) throw new Error(`${id} did not become ${wanted.join(' or ')}`);
    return found;
  };

  async endConsumers(): Promise<void> {
    await Promise.all(this.consumers.splice(0).map((consumer) => consumer.close()));
  }

  async close(): Promise<void> {
    this.notifications.close();
    await this.queues.close();
    await this.redis.stop();
  }
}

/** Queues for the tests of this file. */
export function useQueues(settings: QueueSettings = {}): TestQueues {
  const test = new TestQueues();
  (settings.each ? beforeEach : beforeAll)(() => test.open(settings));
  afterEach(() => test.endConsumers());
  (settings.each ? afterEach : afterAll)(() => test.close());
  return test;
}

/** A record with one call; `over` changes the record, `call` changes the call. */
export function recordOf(
  over: Partial<InvocationRecord> = {},
  call: Partial<InvocationRecord['calls'][number]> = {},
): InvocationRecord {
  const usual = { toolId: 'test:tool', version: '1.0.0', digest: 'd', kind: 'node', arguments: { n: 1 } } as const;
  return { tenant: 'default', mode: 'sequence', calls: [{ ...usual, ...call }], ...over };
}

export const succeed = async (): Promise<Outcome> => ({ steps: [{ status: 'succeeded', result: 42 }] });

/** Suspends each job at its first start and succeeds at the next one. Adds each start to `seen`. */
export const suspendOnce =
  (due: number | undefined, waitsFor: 'time' | 'answer', seen: Work[] = []) =>
  async (work: Work): Promise<Outcome> => {
    seen.push(work);
    if (work.suspensions === 0) throw new SuspendJob(due, waitsFor);
    return succeed();
  };
