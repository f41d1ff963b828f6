import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { cancelledByRequest } from './cancel.js';
import { connectPatiently } from '../redis/connect.js';
import { SupersededError } from '../bullmq/held-lock.js';
import { FIELD, keys, type WorkQueue } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';

/** What stands in a job's hash that BullMQ does not know of. */
export interface Marks {
  /** How many of its starts, this one among them, followed a park. */
  suspensions: number;
  /** When it was first started, in ms, where it has been parked since. */
  begunAt: number | undefined;
}

const BEGIN_AGAIN = loadScript<(string | null)[]>(join(__dirname, 'begin-again.lua'));

/** A job that runs, in which of its starts, and what stops it. */
interface RunningJob {
  attempt: number;
  controller: AbortController;
}

/**
 * The jobs that one process runs, and how each of them is stopped: when somebody wishes its end, which one subscription tells of
 * all, or when another process has taken it over.
 */
export class RunningJobs {
  readonly redis: Redis;
  private readonly subscriber: Redis;
  private readonly runningJobs = new Map<string, RunningJob>();

  constructor(
    url: string,
    private readonly queue: WorkQueue,
    private readonly onError: (error: Error) => void,
  ) {
    this.redis = connectPatiently(url);
    this.subscriber = connectPatiently(url);
    this.subscriber.on('message', (_channel, id) => this.cancel(id));
    // What was told before this process listened, or while its connection was lost, has to be looked for.
    this.subscriber.on('ready', () => {
      this.listen().catch(onError);
    });
  }

  /** Resolves when no wish is missed any more. */
  ready(): Promise<void> {
    return this.listen();
  }

  /** A job that was lost to another process may come back while what was begun of it here still goes on. */
  take(id: string, attempt: number): AbortSignal {
    this.runningJobs.get(id)?.controller.abort(new SupersededError(id));
    const controller = new AbortController();
    this.runningJobs.set(id, { attempt, controller });
    return controller.signal;
  }

  drop(id: string, attempt: number): void {
    if (this.runningJobs.get(id)?.attempt === attempt) this.runningJobs.delete(id);
  }

  /** Its lock has gone to another process. */
  lose(id: string, attempt: number): void {
    const found = this.runningJobs.get(id);
    if (found?.attempt === attempt) found.controller.abort(new SupersededError(id));
  }

  /** For a job that was begun before: whether its end has been wished meanwhile, which fires its signal, and how often it was parked. */
  async look(id: string, isInvocation: boolean): Promise<Marks> {
    const [wished, suspensions, begunAt] = await BEGIN_AGAIN.run(
      this.redis,
      [keys.job(this.queue, id), keys.events(id)],
      [id, new Date().toISOString(), isInvocation ? 1 : 0],
    );
    if (wished) this.cancel(id);
    return { suspensions: Number(suspensions ?? 0), begunAt: begunAt ? Number(begunAt) : undefined };
  }

  /** The same look while the job runs already. */
  lookBeside(id: string): void {
    this.redis
      .hexists(keys.job(this.queue, id), FIELD.cancelRequestedAt)
      .then((wished) => wished && this.cancel(id))
      .catch(this.onError);
  }

  close(): void {
    this.subscriber.disconnect();
    this.redis.disconnect();
  }

  private async listen(): Promise<void> {
    await this.subscriber.subscribe(keys.cancelRequests);
    for (const id of this.runningJobs.keys()) this.lookBeside(id);
  }

  private cancel(id: string): void {
    this.runningJobs.get(id)?.controller.abort(cancelledByRequest());
  }
}
