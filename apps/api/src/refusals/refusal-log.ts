import { Metrics, type Measure } from '@errand/platform';
import { FeedLog, Queues, settleRefusals, storeRefusals, writeRefusal, type NewRefusal } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiConfiguration, ApiLogger } from '../api-tokens.js';
import { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest } from '../http/submission-requests.js';
import { SecretMask } from '../source/secret-mask.js';
import { describeRefusal, isKept, isSmall, masked, type RefusedRequest } from './describe-refusal.js';

const DROPPED: Measure = {
  name: 'errand_refusals_dropped_total',
  help: 'Refused submissions that were not kept, because too many came at once or Redis was away',
  labels: [],
};
/** The most refusals that wait to be stored, and the most characters of their texts. A further one is dropped, or kept without its text. */
const MOST_HELD = 1_000;
const MOST_HELD_CHARS = 16 * 1_048_576;
/** How many refusals one command stores. */
const BATCH = 50;
/** How long refusals are gathered for a batch, in ms: each command has a price of its own. */
const GATHER_MS = 50;
/** How often recoveries are looked for, in ms: also without a reader, they must be known before the retention removes their invocations. */
const SETTLE_MS = 60_000;
/** For how long after the last refusal of a tenant, in ms: ten minutes, and a last time. */
const UNSETTLED_MS = 720_000;
const MOST_TENANTS = 1_000;

/** A refusal that waits until it is stored. */
interface WaitingRefusal {
  /** The length of its text. */
  chars: number;
  describe: () => NewRefusal;
}

/**
 * Keeps refused submissions, beside their answers: nothing waits for it, and nothing fails by it. An acceptance does not notice it at all:
 * the recoveries from refusals follow from the index of invocations.
 */
@Injectable()
export class RefusalLog implements OnApplicationShutdown {
  private waiting: WaitingRefusal[] = [];
  /** The number of refusals that are not stored yet, and the characters of their texts. */
  private held = 0;
  private heldChars = 0;
  /** The tenants whose recoveries may still change, with the time of their last refusal (ms). */
  private readonly unsettled = new Map<string, number>();
  private storing: Promise<void> | undefined;
  private settling: Promise<void> | undefined;
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
    this.timer = setInterval(() => this.settle(), SETTLE_MS);
    this.timer.unref();
  }

  /** Whether refusals are kept. */
  get isOn(): boolean {
    return this.bounds.count > 0;
  }

  /**
   * Keeps the refusal of a request, if it is one with status 422. Returns at once. A small refusal is described later, together with others,
   * while the code for it is in the caches of the processor.
   */
  note(request: SubmitRequest, tenant: string, error: unknown): void {
    if (!this.isOn || !(error instanceof ProblemError) || !isKept(error)) return;
    if (this.held >= MOST_HELD) return this.dropped.inc({});
    // The error itself has a stack, which holds everything that its functions had.
    const { code, more } = error;
    const hasText = this.heldChars < MOST_HELD_CHARS;
    const refused = { request, tenant, error: { code, more }, at: Date.now(), hasText };
    const waiting = isSmall(refused) ? this.smallRefusal(refused) : this.largeRefusal(refused);
    this.held += 1;
    this.heldChars += waiting.chars;
    this.waiting.push(waiting);
    this.storing ??= this.storeAll().finally(() => (this.storing = undefined));
  }

  /** Holds only what it needs of the request, whose attachments can be large. */
  private smallRefusal({ request: { text = '', agent, session }, ...rest }: RefusedRequest): WaitingRefusal {
    const refused = { request: { text, agent, session }, ...rest };
    return { chars: text.length, describe: () => this.describe(refused) };
  }

  /** Holds a copy: a slice of a string keeps the whole string in memory. */
  private largeRefusal(refused: RefusedRequest): WaitingRefusal {
    const copy = structuredClone(this.describe(refused));
    return { chars: copy.refusal.text.length, describe: () => copy };
  }

  private describe(refused: RefusedRequest): NewRefusal {
    return describeRefusal(refused, this.registry.toolLookup(refused.request.agent));
  }

  /** Resolves when what was noted is stored, or Redis is away. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.queues.unlessAway(Promise.all([this.storing, this.settling]));
  }

  /** Stores in batches, after the answers. */
  private async storeAll(): Promise<void> {
    do {
      await sleep(GATHER_MS);
      const gathered = this.waiting;
      this.waiting = [];
      for (let n = 0; n < gathered.length; n += BATCH) await this.store(gathered.slice(n, n + BATCH));
    } while (this.waiting.length > 0);
  }

  private async store(batch: readonly WaitingRefusal[]): Promise<void> {
    try {
      // Without the mask a refusal is not kept.
      const mask = this.masks.isEmpty ? undefined : await this.masks.current();
      const described = batch.map(({ describe }) => (mask ? masked(describe(), mask) : describe()));
      await storeRefusals(this.queues, described.map(writeRefusal), this.bounds);
      await this.tellListeners(described);
      const now = Date.now();
      for (const tenant of new Set(described.map((one) => one.tenant))) {
        this.unsettled.delete(tenant);
        if (this.unsettled.size < MOST_TENANTS) this.unsettled.set(tenant, now);
      }
    } catch (error) {
      this.drop(batch.length, error);
    } finally {
      this.release(batch);
    }
  }

  /** Tells listeners of the feed. Without listeners it costs nothing. */
  private async tellListeners(described: readonly NewRefusal[]): Promise<void> {
    await Promise.all(
      described.map(({ tenant, refusal: { id, code, toolIds, agent, session } }) =>
        this.feed.publishFeed(tenant, 'refusal', { id, code, toolIds, agent, session }),
      ),
    );
  }

  private release(refusals: readonly { chars: number }[]): void {
    this.held -= refusals.length;
    for (const { chars } of refusals) this.heldChars -= chars;
  }

  private drop(count: number, error: unknown): void {
    this.dropped.inc({}, count);
    this.logger.warn({ err: error, count }, 'refusals are not kept');
  }

  private settle(): void {
    this.settling ??= this.settleAll()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'recoveries from refusals are not known'))
      .finally(() => (this.settling = undefined));
  }

  private async settleAll(): Promise<void> {
    for (const [tenant, at] of this.unsettled) {
      if (Date.now() - at > UNSETTLED_MS) this.unsettled.delete(tenant);
      await settleRefusals(this.queues, tenant, this.bounds.ageSeconds);
    }
  }
}
