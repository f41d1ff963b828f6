import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { QueuePause } from '@errand/contracts';
import { queueNames } from '../fair/read-queues.js';
import { copyWeights, readWeights, type Weights } from '../fair/tenant-weights.js';
import { pauseQueue, readPause, resumeQueue, type QueueOfWork } from '../pause/pause-queue.js';
import type { Queues } from '../redis/connect.js';
import { ONE_SHARD, type ShardLayout } from './shard-layout.js';

/** The pause after a copy has failed, in ms. */
const AGAIN_MS = 1_000;
/** A shard that has no copy after this time, in ms, is not waited for. */
const AWAY_MS = 2_000;

type Pauses = ReadonlyMap<QueueOfWork, QueuePause>;

/** What operators have set: the pauses of queues and the weights of tenants. */
interface Settings {
  pauses: Pauses;
  weights: Weights;
}

/**
 * Copies the settings of the keyspace `{errand}` to shards. Each shard has a copy of its own, which is repeated until it succeeds. A shard that
 * is away holds up no other one.
 *
 * A change of a setting writes `{errand}` first. A copy ends when `{errand}` still has the copied settings after it, so that an old copy does not
 * outlast a change.
 */
export class SettingsCopies {
  private readonly end = new AbortController();
  private readonly running = new Map<Queues, Promise<void>>();
  /** The pauses that this process has copied to each shard. */
  private readonly given = new Map<Queues, Map<QueueOfWork, QueuePause>>();
  private reading: Promise<Settings> | undefined;
  private nextReading: Promise<Settings> | undefined;

  private constructor(private readonly root: Queues) {}

  /** Copies to the shards that a process opens at its start: they may be new. */
  static async start(root: Queues): Promise<SettingsCopies> {
    const copies = new SettingsCopies(root);
    const { all = [], present = ONE_SHARD } = root.shards ?? {};
    await copies.copy(all, present);
    return copies;
  }

  close(): void {
    this.end.abort();
  }

  /**
   * Copies at once, and again when the layout begins: until then, a process that does not know the shards may change a setting.
   * @returns when each shard has its first copy. Shards that are away get it later.
   */
  async copy(all: readonly Queues[], layout: ShardLayout): Promise<void> {
    const shards = all.filter((shard) => shard !== this.root);
    void this.copyAtBegin(shards, layout).catch(() => {});
    await Promise.all(shards.map((shard) => unlessAway(shard, this.startCopy(shard))));
  }

  /** Rejects if the process ends before. */
  private async copyAtBegin(shards: readonly Queues[], layout: ShardLayout): Promise<void> {
    const leftMs = (layout.at(-1)?.since ?? 0) - Date.now();
    if (leftMs <= 0) return;
    await sleep(leftMs, undefined, { signal: this.end.signal, ref: false });
    for (const shard of shards) void this.startCopy(shard);
  }

  /** Never rejects. Copies to one shard run one after another. */
  private startCopy(shard: Queues): Promise<void> {
    const done = (this.running.get(shard) ?? Promise.resolve()).then(() => this.untilCopied(shard));
    this.running.set(shard, done);
    return done;
  }

  private async untilCopied(shard: Queues): Promise<void> {
    const { signal } = this.end;
    while (!signal.aborted) {
      const isCopied = await this.copyTo(shard).catch(() => false);
      if (isCopied) return;
      await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  private async copyTo(shard: Queues): Promise<true> {
    let settings = await this.read();
    for (;;) {
      await this.copyPauses(shard, settings.pauses);
      await copyWeights(shard, settings.weights);
      const now = await this.read();
      if (isDeepStrictEqual(now, settings)) return true;
      settings = now;
    }
  }

  /** A pause that a copy has brought ends if the keyspace `{errand}` has it no longer. */
  private async copyPauses(shard: Queues, pauses: Pauses): Promise<void> {
    const given = this.given.get(shard) ?? new Map<QueueOfWork, QueuePause>();
    this.given.set(shard, given);
    for (const [queue, pause] of given) {
      if (isDeepStrictEqual(pauses.get(queue), pause)) continue;
      if (isDeepStrictEqual(await readPause(shard, queue), pause)) await resumeQueue(shard, queue);
      given.delete(queue);
    }
    for (const [queue, pause] of pauses) {
      given.set(queue, pause);
      await pauseQueue(shard, queue, pause);
    }
  }

  /** The settings at a time after the call. The copies of many shards share a read. */
  private read(): Promise<Settings> {
    this.nextReading ??= (this.reading ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.reading = this.nextReading;
        this.nextReading = undefined;
        return readSettings(this.root);
      });
    return this.nextReading;
  }
}

async function readSettings(root: Queues): Promise<Settings> {
  const names = await queueNames(root);
  const [weights, ...known] = await Promise.all([readWeights(root), ...names.map((name) => readPause(root, name))]);
  const pauses = names.flatMap((name, n): [typeof name, QueuePause][] => (known[n] ? [[name, known[n]]] : []));
  return { pauses: new Map(pauses), weights };
}

/** Resolves when the work has ended, when the connection of the shard is lost or cannot be opened, or after AWAY_MS. */
async function unlessAway({ redis }: Queues, work: Promise<void>): Promise<void> {
  if (redis.status === 'reconnecting' || redis.status === 'end') return;
  const stop = new AbortController();
  const { signal } = stop;
  // A refused connection is an `error`, which rejects.
  const away = Promise.race([once(redis, 'close', { signal }), sleep(AWAY_MS, undefined, { signal })]).catch(() => {});
  await Promise.race([work, away]);
  stop.abort();
}
