import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessKind, ProcessLoad } from '@errand/contracts';
import { keysOf } from '../redis/names.js';
import { drainOf } from '../redis/notification-names.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import type { NotificationHub } from '../suspend/notifications.js';
import type { OwnProcess } from './own-process.js';

const BEAT = loadScript<0 | 1>(join(__dirname, 'beat-process.lua'));
/** The shortest time between two heartbeats. */
const BEAT_MS = 1_000;
/** A process with long locks beats this often within the life of a lock. */
const BEATS_OF_LOCK = 30;
/** How long a process is listed after its last heartbeat. */
const KEPT_MS = 3_600_000;
/** The most processes that are listed. */
export const MOST_KEPT = 1_000;
/** The lag of the event loop is measured this often. Each time wakes an idle process. A shorter lag can remain unseen. */
const LAG_TICK_MS = 50;
const MIB = 1_048_576;

/** What a process says of itself once. */
export interface ProcessDescription {
  host: string;
  version: string;
  queues: readonly string[];
  labels: readonly string[];
  slots: number;
  /** A live process renews its locks within this time. */
  lockMs: number;
}

/** What a process says with each heartbeat. */
interface ProcessNews {
  containers?: () => { waiting: number; running: number };
  /** Takes nothing new, and resolves when the running jobs have ended. Called once, when the operator asks for it. */
  drain?: () => Promise<void>;
  /** Tells the process at once that it must drain. */
  notifications?: NotificationHub;
  onError: (error: unknown) => void;
}

/** A heartbeat as Redis stores it. */
export interface StoredBeat extends ProcessDescription {
  kind: ProcessKind;
  startedAt: string;
  isDraining: boolean;
  load: ProcessLoad;
  containers?: { waiting: number; running: number };
}

/** The heartbeat of a process in the keyspace `{errand}`, once a second, or less often with locks of over 30 s. Its answer says whether the process must drain. */
export class ProcessBeat {
  private readonly delay = monitorEventLoopDelay({ resolution: LAG_TICK_MS });
  private readonly startedAt = new Date().toISOString();
  private timer: NodeJS.Timeout | undefined;
  private cpu = process.cpuUsage();
  private cpuAt = performance.now();
  private isDraining = false;
  private beating: Promise<void> | undefined;
  private readonly stopped = new AbortController();

  constructor(
    private readonly queues: Queues,
    private readonly own: OwnProcess,
    private readonly about: ProcessDescription,
    private readonly news: ProcessNews,
  ) {}

  /** Resolves when the process is listed, or Redis is away. */
  async start(): Promise<void> {
    this.delay.enable();
    await this.beat();
    this.timer = setInterval(() => void this.beat(), Math.max(BEAT_MS, this.about.lockMs / BEATS_OF_LOCK));
    void this.hearDrain();
  }

  private async hearDrain(): Promise<void> {
    const asked = this.news.notifications?.listen(drainOf(this.own.id));
    while (await asked?.next(this.stopped.signal)) {
      // A heartbeat on its way may have read too early.
      await this.beating;
      await this.beat();
    }
    asked?.close();
  }

  /** The process ends: it takes nothing new. */
  noteDraining(): void {
    this.isDraining = true;
  }

  /** Takes the process off the list. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopped.abort();
    this.delay.disable();
    const { redis } = this.queues;
    if (redis.status !== 'ready') return;
    const keys = keysOf(redis);
    const gone = redis.multi().del(keys.process(this.own.id)).zrem(keys.processes, this.own.id).exec();
    await this.queues.unlessAway(gone.catch(this.news.onError));
  }

  /** A late heartbeat is useless, so it must not wait for Redis. */
  private async beat(): Promise<void> {
    if (this.queues.redis.status !== 'ready' || this.beating) return;
    this.beating = this.send();
    await this.beating;
    this.beating = undefined;
  }

  private async send(): Promise<void> {
    const { redis } = this.queues;
    const keys = keysOf(redis);
    try {
      const mustDrain = await BEAT.run(
        redis,
        [keys.process(this.own.id), keys.processes],
        [this.own.id, JSON.stringify(this.describe()), KEPT_MS, MOST_KEPT],
      );
      if (mustDrain === 1 && !this.isDraining) {
        this.drain();
        await this.send();
      }
    } catch (error) {
      this.news.onError(error);
    }
  }

  private drain(): void {
    this.isDraining = true;
    this.news.drain?.().catch(this.news.onError);
  }

  private describe(): StoredBeat {
    return {
      ...this.about,
      kind: this.own.kind,
      startedAt: this.startedAt,
      isDraining: this.isDraining,
      load: this.load(),
      ...(this.news.containers && { containers: this.news.containers() }),
    };
  }

  /** Since the last heartbeat. */
  private load(): ProcessLoad {
    const [cpu, now] = [process.cpuUsage(), performance.now()];
    const usedMs = (cpu.user + cpu.system - this.cpu.user - this.cpu.system) / 1_000;
    const lagMs = Math.max(0, this.delay.max / 1_000_000 - LAG_TICK_MS);
    const load = {
      rssMb: Math.round(process.memoryUsage.rss() / MIB),
      cpu: Math.round((usedMs / Math.max(1, now - this.cpuAt)) * 100) / 100,
      eventLoopLagMs: Number.isFinite(lagMs) ? Math.round(lagMs) : 0,
    };
    this.delay.reset();
    [this.cpu, this.cpuAt] = [cpu, now];
    return load;
  }
}
