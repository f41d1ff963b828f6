import { Job, QueueBase, type QueueBaseOptions, type RedisQueueBackend } from 'bullmq';
import { errandBackend, type BackendUse } from './errand-backend.js';
import type { TakenFields } from './taken-job.js';

/** The options that BullMQ's code reads from the queue of a worker. Times in ms. */
export interface BullQueueOptions extends QueueBaseOptions {
  lockDuration: number;
  stalledInterval: number;
  maxStalledCount: number;
  settings: { backoffStrategy: (attempts: number, type?: string, error?: Error) => number };
}

/** A block longer than this risks trouble at a reconnection, as in BullMQ (s). */
const LONGEST_BLOCK_S = 10;
/** A consumer looks at least this often (s), because a marker may have been lost with another process. */
const IDLE_BLOCK_S = 5;
const SHORTEST_BLOCK_S = 0.002;

/** BullMQ's view of a queue for a consumer: its jobs, its stalled check, its marker, and a connection that blocks. */
export class BullQueue extends QueueBase<RedisQueueBackend> {
  constructor(
    name: string,
    private readonly settings: BullQueueOptions,
    use: BackendUse,
  ) {
    super(name, settings, errandBackend(use));
  }

  /** The constructor of BullMQ's class calls it. */
  protected override createBackend(): void {
    this.backend = this.backendFactory(this.name, this.opts, { withBlockingConnection: true });
  }

  /** The whole job, for BullMQ's own methods. @throws Error if it is not stored any more */
  async jobOf(id: string): Promise<Job> {
    const job: Job | undefined = await Job.fromId(this, id);
    if (!job) throw new Error(`The job ${id} is not stored any more`);
    return job;
  }

  async addLog(id: string, line: string): Promise<void> {
    await Job.addJobLog(this, id, line);
  }

  async updateData(id: string, data: unknown): Promise<void> {
    await (await this.jobOf(id)).updateData(data);
  }

  /** Takes one job by BullMQ's script, which counts it against the rate limit. `pauseMs`: how long the queue is limited, or 0. */
  async takeLimited(token: string): Promise<{ taken: TakenFields[]; pauseMs: number }> {
    const [job, id = '', limitMs = 0] = await this.backend.moveToActive(token);
    if (!job) return { taken: [], pauseMs: Math.max(0, limitMs) };
    const { name, data, opts, attemptsStarted = 0, stalledCounter = 0, deferredFailure = null } = job;
    const [timestamp, delay, deaths] = [job.timestamp, job.delay || 0, stalledCounter].map(String);
    const times = [timestamp ?? null, delay ?? null] as const;
    const options = Object.keys(opts).length === 0 ? null : JSON.stringify(opts);
    const taken: TakenFields = [
      name,
      data,
      options,
      ...times,
      attemptsStarted,
      deaths ?? null,
      deferredFailure,
      null,
      id,
    ];
    return { taken: [taken], pauseMs: 0 };
  }

  /** Puts the jobs of dead processes back. */
  async checkStalled(): Promise<void> {
    await this.backend.moveStalledJobsToWait();
  }

  /**
   * Blocks until a marker comes, `due` (ms) has come, or the time to look again. Takes the marker away.
   * @param due the time at which a delayed job is due, or 0
   * @returns the time (ms) at which to look for jobs; 0 for now
   */
  async untilMarker(due: number): Promise<number> {
    const aheadS = (due - Date.now()) / 1_000;
    if (due > 0 && aheadS <= 0) return 0;
    const seconds = due > 0 ? Math.min(Math.max(aheadS, SHORTEST_BLOCK_S), LONGEST_BLOCK_S) : IDLE_BLOCK_S;
    const marker = await this.backend.waitForJob(seconds);
    if (!marker || marker.score <= Date.now()) return 0;
    return due > 0 ? Math.min(due, marker.score) : marker.score;
  }

  /** Its connections have ended, or end now. */
  get isClosed(): boolean {
    return this.closing !== undefined;
  }

  /** Ends `untilMarker` for good. */
  async stopBlocking(): Promise<void> {
    await this.backend.disconnectBlocking(true);
  }
}
