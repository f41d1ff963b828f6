import { setTimeout as sleep } from 'node:timers/promises';
import { FlowProducer, type JobsOptions } from 'bullmq';
import { ToolError } from '@errand/contracts';
import { eventually, inPatience } from '../../../test/support/eventually.js';
import { startRedis, type TestRedis } from '../../../test/support/start-redis.js';
import type { Handle } from '../src/consume/run-job.js';
import { jobOptions } from '../src/enqueue/job-options.js';
import {
  AttemptFailed,
  cancelInvocation,
  giveAnswer,
  submitInvocations,
  SuspendJob,
  type ConsumeOptions,
  type Consumer,
  type InvocationRecord,
  type Outcome,
  Queues,
  type Work,
} from '../src/index.js';
import { InvocationQueue } from '../src/redis/connect.js';
import { keys, PREFIX } from '../src/redis/names.js';
import type { QueueName } from '../src/redis/queue-names.js';
import { openConnection } from '../src/redis/primary-redis.js';
import type { Life, Start } from './job-lives.js';
import { putBack } from './put-back.js';
import { storedKeys } from './stored-keys.js';
import { recordOf } from './use-queues.js';

type Consume = (url: string, queue: 'invocations', options: ConsumeOptions, handle: Handle) => Consumer;

/** No check finds a stalled job by itself, and no lock lapses. */
const NEVER_MS = 600_000;
const QUEUE = 'invocations';
/** The queue of the parents of flows. Nobody takes its jobs. */
const FLOWS = 'flows';

/** Follows all other lives: BullMQ resets its counter of priorities when a job is taken and no other one waits. */
const LAST: Life = {
  id: 'inv_last',
  kind: 'plain',
  options: {},
  record: recordOf({}),
  starts: [{ does: 'succeed', size: 0 }],
};

/** A Redis with one consumer that lets jobs live their lives. */
export class JobWorld {
  private readonly lives = new Map<string, { life: Life; next: number }>();
  private readonly lost = new Map<string, () => void>();
  private readonly flows: FlowProducer;
  /** What the lives cause beside their jobs, for example an answer. */
  private readonly effects: Promise<unknown>[] = [];

  private constructor(
    private readonly redis: TestRedis,
    readonly queues: Queues,
    private readonly consume: Consume,
  ) {
    this.flows = new FlowProducer({ connection: queues.redis, prefix: PREFIX });
  }

  static async open(consume: Consume): Promise<JobWorld> {
    const redis = await startRedis();
    // Its commands wait on a busy machine, too.
    const connection = openConnection(redis.url, 'patient');
    const open = (name: QueueName) => new InvocationQueue(name, { connection, prefix: PREFIX });
    const byName = { invocations: open('invocations'), scripts: open('scripts') };
    return new JobWorld(redis, new Queues(connection, byName, { ageSeconds: 3_600, count: 1_000 }), consume);
  }

  /** Adds the jobs, and returns all keys when every job has ended. */
  async live(lives: readonly Life[]): Promise<Record<string, unknown>> {
    const options = { concurrency: 10, lockMs: NEVER_MS, stalledMs: NEVER_MS, onError: this.onError };
    const consumer = this.consume(this.redis.url, QUEUE, options, this.handle);
    await consumer.ready();
    await this.play(lives);
    await this.play([LAST]);
    await consumer.close();
    return storedKeys(this.queues.redis);
  }

  private async play(lives: readonly Life[]): Promise<void> {
    for (const life of lives) this.lives.set(life.id, { life, next: 0 });
    await Promise.all(lives.map((life) => this.add(life)));
    await inPatience(this.untilAllEnded(), () => this.openLives());
    await Promise.all(this.effects.splice(0));
  }

  /** Removes all keys. */
  async clear(): Promise<void> {
    await this.queues.redis.flushdb();
    this.lives.clear();
  }

  async close(): Promise<void> {
    await this.flows.close();
    await this.queues.close();
    await this.redis.stop();
  }

  private async untilAllEnded(): Promise<void> {
    while ((await this.openJobs()).length > 0) await sleep(20);
  }

  /** The jobs of all sets at one moment, because a job moves from set to set. */
  private async openJobs(): Promise<string[]> {
    const read = this.queues.redis.multi();
    for (const set of ['wait', 'active'] as const) read.lrange(keys.set(QUEUE, set), 0, -1);
    for (const set of ['prioritized', 'delayed'] as const) read.zrange(keys.set(QUEUE, set), '0', '-1');
    const sets = (await read.exec()) ?? [];
    return sets.flatMap(([error, ids]) => {
      if (error) throw error;
      return ids as string[];
    });
  }

  /** Describes the lives that have not ended. */
  private async openLives(): Promise<string> {
    const lives = (await this.openJobs()).map(async (id) => {
      const job = await this.queues.redis.hgetall(keys.job(QUEUE, id));
      const lock = await this.queues.redis.get(keys.lock(QUEUE, id));
      return JSON.stringify({ ...this.lives.get(id), job: { ...job, data: undefined }, lock });
    });
    return (await Promise.all(lives)).join('\n');
  }

  private async add({ id, kind, options, record }: Life): Promise<void> {
    const { queues } = this;
    const bull: JobsOptions = { ...jobOptions(options), jobId: id };
    const queue = queues.byName[QUEUE];
    switch (kind) {
      case 'script':
        return void (await queue.add('test:script', record, bull));
      case 'removed':
        return void (await queue.add('test:tool', record, {
          ...bull,
          removeOnComplete: true,
          removeOnFail: { age: 3_600 },
        }));
      case 'deduplicated':
        return void (await queue.add('test:tool', record, { ...bull, deduplication: { id: `once ${id}` } }));
      case 'flow':
        return this.addFlow(id, record, { ...bull, ignoreDependencyOnFailure: true });
      case 'strict-flow':
        return this.addFlow(id, record, { ...bull, failParentOnFailure: true });
      case 'waited':
        await queues.redis.sadd(keys.waiters(id), 'inv_nobody');
        break;
      default:
    }
    const callback = kind === 'callback' ? { callback: { url: 'https://example.com/' } } : {};
    const pushes = kind === 'push' ? { pushes: { one: 'msg_nobody' } } : {};
    const claim = kind === 'keyed' ? { claim: { digest: id, body: 'body' } } : {};
    await submitInvocations(queues, [{ queue: QUEUE, id, record, options, ...callback, ...pushes, ...claim }]);
  }

  private async addFlow(id: string, data: InvocationRecord, opts: JobsOptions): Promise<void> {
    const children = [{ name: 'test:tool', queueName: QUEUE, data, opts }];
    await this.flows.add({ name: 'flow', queueName: FLOWS, opts: { jobId: `flow-${id}` }, children });
  }

  private readonly handle = async (work: Work): Promise<Outcome> => {
    const entry = this.lives.get(work.id);
    if (!entry) throw new Error(`${work.id} has no life`);
    const start = entry.life.starts[Math.min(entry.next++, entry.life.starts.length - 1)];
    if (!start) throw new Error(`${work.id} has no start`);
    return this.begin(work, start);
  };

  private async begin(work: Work, start: Start): Promise<Outcome> {
    const { queues } = this;
    const { id, signal, record } = work;
    const lock = keys.lock(QUEUE, id);
    switch (start.does) {
      case 'fail':
        throw new ToolError('ScriptError', 'no', { code: 1 });
      case 'crash':
        throw new AttemptFailed(new ToolError('ServiceError', 'gone'), undefined);
      case 'retry':
        throw new AttemptFailed(new ToolError('ServiceError', 'again'), start.pauseMs);
      case 'sleep':
        throw new SuspendJob(Date.now() + start.ms, 'time');
      case 'ask':
        this.effects.push(this.answer(id, record.tenant, `${work.attempt}`));
        throw new SuspendJob(undefined, 'answer');
      case 'cancel':
        if (record.parent) throw new ToolError('CancelledError', 'cancelled');
        await cancelInvocation(queues, record.tenant, id, 'enough');
        return untilAborted(signal);
      case 'stall':
        await queues.redis.del(lock);
        await putBack(queues.redis, id);
        return succeeded(1);
      case 'lose':
        await queues.redis.multi().set(lock, 'another process').hincrby(keys.job(QUEUE, id), 'ats', 1).exec();
        this.effects.push(this.recover(id));
        return succeeded(1);
      case 'lapse':
        await queues.redis.del(lock);
        return succeeded(1);
      default:
        return succeeded(start.size);
    }
  }

  private async answer(id: string, tenant: string, field: string): Promise<void> {
    await eventually(() => this.queues.redis.zscore(keys.set(QUEUE, 'delayed'), id).then((score) => score !== null));
    await giveAnswer(this.queues, { reach: tenant, id, field }, { answer: { result: 1 } });
  }

  /** Puts a job back when the consumer has been refused. */
  private async recover(id: string): Promise<void> {
    await inPatience(new Promise<void>((resolve) => this.lost.set(id, resolve)), () => `the end of ${id} is refused`);
    await this.queues.redis.del(keys.lock(QUEUE, id));
    await putBack(this.queues.redis, id);
  }

  private readonly onError = (error: Error): void => {
    for (const [id, resolve] of this.lost) if (error.message.includes(id) && this.lost.delete(id)) resolve();
  };
}

function succeeded(size: number): Outcome {
  return { steps: [{ status: 'succeeded', result: 'x'.repeat(size) }] };
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  while (!signal.aborted) await sleep(1);
  throw signal.reason;
}
