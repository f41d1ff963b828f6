import type { FeedData } from '@errand/contracts';
import { Metrics, type Measure } from '@errand/platform';
import { FeedLog, noteAccepted, Queues, storeRefusals, type AcceptedCalls, type NewRefusal } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiConfiguration, ApiLogger } from '../api-tokens.js';
import { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest } from '../http/submission-requests.js';
import { SecretMask } from '../source/secret-mask.js';
import { describeRefusal, isKept, masked } from './describe-refusal.js';

const DROPPED: Measure = {
  name: 'errand_refusals_dropped_total',
  help: 'Refused submissions that were not kept, because too many came at once or Redis was away',
  labels: [],
};
/** The most refusals that wait to be stored. A refusal has up to about 200 KB. */
const MOST_WAITING = 500;
/** How many refusals one command stores. */
const BATCH = 50;
/** How long refusals are gathered for a batch, in ms: each command has a price of its own. */
const GATHER_MS = 50;
/** How often accepted calls are counted, in ms. */
const COUNT_MS = 1_000;
/** The most accepted invocations between two counts. */
const MOST_ACCEPTED = 20_000;
const ACCEPTED_BATCH = 1_000;

/**
 * Keeps refused submissions, beside their answers: nothing waits for it, and nothing fails by it. It also counts accepted calls, and finds
 * the refusals from which their sessions have recovered.
 */
@Injectable()
export class RefusalLog implements OnApplicationShutdown {
  private readonly waiting: NewRefusal[] = [];
  private accepted: AcceptedCalls[] = [];
  /** Those in `accepted` without a session, by tenant, agent and tools. */
  private equal = new Map<string, Required<Pick<AcceptedCalls, 'times'>>>();
  private storing: Promise<void> | undefined;
  private counting: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly dropped;
  private readonly bounds;

  constructor(
    private readonly queues: Queues,
    private readonly registry: Registry,
    private readonly masks: SecretMask,
    private readonly feed: FeedLog,
    private readonly logger: ApiLogger,
    settings: ApiConfiguration,
    metrics: Metrics,
  ) {
    this.bounds = { count: settings.ERRAND_REFUSALS_COUNT, ageSeconds: settings.ERRAND_REFUSALS_AGE };
    this.dropped = metrics.counter(DROPPED);
    if (!this.isOn) return;
    queues.events.on('accepted', (toolIds, { id, at, record: { tenant, agent, session } }) =>
      this.noteAccepted({ id, at, tenant, agent, session, toolIds, times: 1 }),
    );
    this.timer = setInterval(() => this.count(), COUNT_MS);
    this.timer.unref();
  }

  /** Whether refusals are kept. */
  get isOn(): boolean {
    return this.bounds.count > 0;
  }

  /** Keeps the refusal of a request, if it is one with status 422. Returns at once. */
  note(request: SubmitRequest, tenant: string, error: unknown): void {
    if (!this.isOn || !(error instanceof ProblemError) || !isKept(error)) return;
    if (this.waiting.length >= MOST_WAITING) return this.dropped.inc({});
    this.waiting.push(describeRefusal(request, tenant, error, this.registry.toolLookup(request.agent)));
    this.storing ??= this.storeAll().finally(() => (this.storing = undefined));
  }

  /** Resolves when what was noted is stored, or Redis is away. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.count();
    await this.queues.unlessAway(Promise.all([this.storing, this.counting]));
  }

  /** Stores in batches, after the answers. */
  private async storeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      await sleep(GATHER_MS);
      const batch = this.waiting.splice(0, BATCH);
      try {
        const mask = await this.masks.current();
        await storeRefusals(
          this.queues,
          batch.map((one) => masked(one, mask)),
          this.bounds,
        );
        await Promise.all(batch.map((one) => this.publish(one)));
      } catch (error) {
        this.dropped.inc({}, batch.length);
        this.logger.warn({ err: error, count: batch.length }, 'refusals are not kept');
      }
    }
  }

  /** Tells listeners of the feed. Without listeners it costs nothing. */
  private publish({ tenant, refusal }: NewRefusal): Promise<void> {
    const { id, code, toolIds, agent, session } = refusal;
    const data: FeedData['refusal'] = { id, code, toolIds, agent, session };
    return this.feed.publishFeed(tenant, 'refusal', data);
  }

  /** An invocation without a session can recover from nothing and is only counted: thousands of objects a second would be expensive to keep. */
  private noteAccepted(calls: AcceptedCalls & { times: number }): void {
    const { tenant, agent = '', session, toolIds } = calls;
    if (session === undefined) {
      const name = `${tenant} ${agent} ${toolIds.join()}`;
      const known = this.equal.get(name);
      if (known) return void known.times++;
      if (this.accepted.length < MOST_ACCEPTED) this.equal.set(name, calls);
    }
    if (this.accepted.length < MOST_ACCEPTED) this.accepted.push(calls);
  }

  private count(): void {
    if (this.accepted.length === 0) return;
    this.counting ??= this.countAll()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'accepted calls are not counted for refusals'))
      .finally(() => (this.counting = undefined));
  }

  private async countAll(): Promise<void> {
    // A refusal comes before the invocation that recovers from it.
    await this.storing;
    const all = this.accepted;
    this.accepted = [];
    this.equal = new Map();
    for (let n = 0; n < all.length; n += ACCEPTED_BATCH)
      await noteAccepted(this.queues, all.slice(n, n + ACCEPTED_BATCH), this.bounds.ageSeconds);
  }
}
