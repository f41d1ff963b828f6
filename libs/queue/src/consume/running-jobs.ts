import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { cancelledByWish } from './cancel.js';
import { connectPatiently } from '../redis/connect.js';
import { SupersededError } from '../bullmq/held-lock.js';
import { FIELD, keys, type WorkQueue } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';

/** What stands in a job's hash that BullMQ does not know of. */
export interface Marks {
  /** How many of its starts, this one among them, followed a park. */
  parks: number;
  /** When it was first started, in ms, where it has been parked since. */
  begunAt: number | undefined;
}

const BEGIN_AGAIN = loadScript<(string | null)[]>(join(__dirname, 'begin-again.lua'));

/** A job that runs, in which of its starts, and what stops it. */
interface InHand {
  attempt: number;
  controller: AbortController;
}

/**
 * The jobs that one process runs, and how each of them is stopped: when somebody wishes its end, which one subscription tells of
 * all, or when another process has taken it over.
 */
export class JobsInHand {
  readonly redis: Redis;
  private readonly ears: Redis;
  private readonly inHand = new Map<string, InHand>();

  constructor(
    url: string,
    private readonly queue: WorkQueue,
    private readonly onError: (error: Error) => void,
  ) {
    this.redis = connectPatiently(url);
    this.ears = connectPatiently(url);
    this.ears.on('message', (_channel, id) => this.cancel(id));
    // What was told before this process listened, or while its connection was lost, has to be looked for.
    this.ears.on('ready', () => {
      this.listen().catch(onError);
    });
  }

  /** Resolves when no wish is missed any more. */
  ready(): Promise<void> {
    return this.listen();
  }

  /** A job that was lost to another process may come back while what was begun of it here still goes on. */
  take(id: string, attempt: number): AbortSignal {
    this.inHand.get(id)?.controller.abort(new SupersededError(id));
    const controller = new AbortController();
    this.inHand.set(id, { attempt, controller });
    return controller.signal;
  }

  drop(id: string, attempt: number): void {
    if (this.inHand.get(id)?.attempt === attempt) this.inHand.delete(id);
  }

  /** Its lock has gone to another process. */
  lose(id: string, attempt: number): void {
    const found = this.inHand.get(id);
    if (found?.attempt === attempt) found.controller.abort(new SupersededError(id));
  }

  /** For a job that was begun before: whether its end has been wished meanwhile, which fires its signal, and how often it was parked. */
  async look(id: string, isInvocation: boolean): Promise<Marks> {
    const [wished, parks, begunAt] = await BEGIN_AGAIN.run(
      this.redis,
      [keys.job(this.queue, id), keys.events(id)],
      [id, new Date().toISOString(), isInvocation ? 1 : 0],
    );
    if (wished) this.cancel(id);
    return { parks: Number(parks ?? 0), begunAt: begunAt ? Number(begunAt) : undefined };
  }

  /** The same look while the job runs already. */
  lookBeside(id: string): void {
    this.redis
      .hexists(keys.job(this.queue, id), FIELD.cancel)
      .then((wished) => wished && this.cancel(id))
      .catch(this.onError);
  }

  close(): void {
    this.ears.disconnect();
    this.redis.disconnect();
  }

  private async listen(): Promise<void> {
    await this.ears.subscribe(keys.cancels);
    for (const id of this.inHand.keys()) this.lookBeside(id);
  }

  private cancel(id: string): void {
    this.inHand.get(id)?.controller.abort(cancelledByWish());
  }
}
