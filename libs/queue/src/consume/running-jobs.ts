import { join } from 'node:path';
import { cancelledByRequest } from './cancel.js';
import { HeardRequests } from './heard-requests.js';
import { ChannelSubscriber, publishCommand } from '../redis/channels.js';
import { openConnection, type PrimaryRedis } from '../redis/primary-redis.js';
import { SupersededError } from '../bullmq/held-lock.js';
import { FIELD } from '../redis/job-fields.js';
import { keysOf } from '../redis/names.js';
import type { WorkQueue } from '../redis/queue-names.js';
import { loadScript } from '../redis/lua-script.js';
import { changedKey, memberOf } from '../state/search-index.js';
import type { InvocationRecord } from '../state/record.js';

/** The history of a job, from Errand's own fields in its hash. */
export interface StartHistory {
  /** The number of starts after a suspension, including this one. */
  suspensions: number;
  /** The time of the first start in ms, if the job was suspended since. */
  begunAt: number | undefined;
}

const RECORD_START = loadScript<null>(join(__dirname, '../state/record-start.lua'));
const RECORD_RESTART = loadScript<(string | null)[] | null>(join(__dirname, 'record-restart.lua'));

/** What is known of a job when its run begins. */
interface StartedJob {
  attemptsStarted: number;
  /** A cancel request came before this start. */
  isCancelRequested?: boolean;
  /** When this process asked for the job (ms of `performance.now()`), if the reply told of cancel requests until then. */
  askedAt?: number | undefined;
}

/** A running job, the number of its start, and the controller that stops it. */
interface RunningJob {
  attempt: number;
  controller: AbortController;
}

/**
 * The jobs that a consumer runs, and their abort signals. A signal fires after a cancel request, or when another process has taken the job
 * over. One subscription receives the cancel requests of all jobs.
 */
export class RunningJobs {
  readonly redis: PrimaryRedis;
  private readonly subscriber: ChannelSubscriber;
  private readonly jobs = new Map<string, RunningJob>();
  /** Cancel requests of jobs that do not run here, or do not run here yet. */
  private readonly heard = new HeardRequests();

  constructor(
    url: string,
    private readonly queue: WorkQueue,
    private readonly onError: (error: Error) => void,
    keyspace?: string,
  ) {
    this.redis = openConnection(url, 'patient', keyspace);
    const keys = keysOf(this.redis);
    this.subscriber = new ChannelSubscriber(
      url,
      [keys.cancelRequests],
      {
        message: (id) => {
          if (!this.cancel(id)) this.heard.note(id, performance.now());
        },
        // Requests may have come before the connection or while it was lost.
        subscribed: () => {
          this.heard.beginAt(performance.now());
          this.checkAll();
        },
        error: onError,
      },
      keyspace,
    );
  }

  /** Resolves when no cancel request can be missed any more. */
  ready(): Promise<void> {
    return this.subscriber.ready();
  }

  /**
   * Returns the signal of a job whose run begins. A lost job can come back to this process while its earlier run still works: that run is
   * aborted. A cancel request that came after the job was taken is looked up while the job runs.
   */
  add(id: string, { attemptsStarted: attempt, isCancelRequested, askedAt }: StartedJob): AbortSignal {
    this.jobs.get(id)?.controller.abort(new SupersededError(id));
    const controller = new AbortController();
    this.jobs.set(id, { attempt, controller });
    if (isCancelRequested) this.cancel(id);
    else if (askedAt === undefined || this.heard.mayHave(id, askedAt)) this.checkCancelRequest(id);
    return controller.signal;
  }

  remove(id: string, attempt: number): void {
    if (this.jobs.get(id)?.attempt === attempt) this.jobs.delete(id);
  }

  /** Aborts a run whose lock another process has. */
  supersede(id: string, attempt: number): void {
    const found = this.jobs.get(id);
    if (found?.attempt === attempt) found.controller.abort(new SupersededError(id));
  }

  /** Records the start of a job that BullMQ's script took. Errand's own script does it when it takes the job. */
  async recordStart(id: string, { tenant, parent }: InvocationRecord): Promise<void> {
    const keys = keysOf(this.redis);
    if (parent) await this.redis[await publishCommand(this.redis)](keys.notifications, id);
    else
      await RECORD_START.run(
        this.redis,
        [changedKey(keys, tenant), keys.changeClock, keys.notifications, keys.job(this.queue, id)],
        [id, memberOf(id)],
      );
  }

  /**
   * Records the start `attempt`, which is not the first one. Fires the signal of the job if a cancel request exists.
   * @throws SupersededError if a later start has begun
   */
  async recordRestart(id: string, attempt: number, { tenant, parent }: InvocationRecord): Promise<StartHistory> {
    const keys = keysOf(this.redis);
    const reply = await RECORD_RESTART.run(
      this.redis,
      [keys.job(this.queue, id), keys.events(id), changedKey(keys, tenant), keys.changeClock],
      [id, new Date().toISOString(), parent ? 0 : 1, memberOf(id), attempt],
    );
    if (!reply) throw new SupersededError(id);
    const [cancelRequestedAt, suspensions, begunAt] = reply;
    if (cancelRequestedAt) this.cancel(id);
    return { suspensions: Number(suspensions ?? 0), begunAt: begunAt ? Number(begunAt) : undefined };
  }

  /** Checks for a cancel request while the job already runs. */
  private checkCancelRequest(id: string): void {
    const keys = keysOf(this.redis);
    this.redis
      .hexists(keys.job(this.queue, id), FIELD.cancelRequestedAt)
      .then((isRequested) => isRequested && this.cancel(id))
      .catch(this.onError);
  }

  close(): void {
    this.subscriber.close();
    this.redis.disconnect();
  }

  private checkAll(): void {
    for (const id of this.jobs.keys()) this.checkCancelRequest(id);
  }

  /** Returns whether the job runs here. */
  private cancel(id: string): boolean {
    const job = this.jobs.get(id);
    job?.controller.abort(cancelledByRequest());
    return job !== undefined;
  }
}
