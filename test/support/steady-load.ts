import { randomUUID } from 'node:crypto';
import type { Client } from './client.js';
import { eventually } from './eventually.js';

const CLIENTS = 4;

interface Submission {
  body: object;
  key: string;
  id: string;
}

/** Clients that submit calls one after the other, each with a key, until `end`. What gets 503 is sent again beside the others. */
export class SteadyLoad {
  /** What was accepted, in the order of the responses. */
  readonly accepted: Submission[] = [];
  /** How many submissions got 503. */
  refused = 0;
  private readonly waiting: Promise<unknown>[] = [];
  private readonly stop = new AbortController();
  private readonly running: Promise<unknown>;

  /** @param bodies the submissions in turn */
  constructor(
    private readonly client: Client,
    private readonly bodies: readonly object[],
  ) {
    this.running = Promise.all(Array.from({ length: CLIENTS }, (_, n) => this.submitFrom(n)));
    // `end` reports it.
    this.running.catch(() => {});
  }

  /** Resolves when so many more have been accepted. */
  async untilMore(count: number): Promise<void> {
    const before = this.accepted.length;
    await eventually(() => this.accepted.length >= before + count, `${count} more submissions are accepted`);
  }

  /** Ends the load, after everything was accepted. @throws Error if a submission got another response than 202, 200 or 503 */
  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
    await Promise.all(this.waiting);
  }

  private async submitFrom(first: number): Promise<void> {
    for (let n = first; !this.stop.signal.aborted; n += CLIENTS) {
      const body = this.bodies[n % this.bodies.length] ?? {};
      const key = randomUUID();
      if (await this.submit(body, key)) continue;
      // A key belongs to one shard. The client does not wait for it.
      const later = eventually(() => this.submit(body, key), 'a refused submission is accepted');
      later.catch(() => {});
      this.waiting.push(later);
    }
  }

  private async submit(body: object, key: string): Promise<boolean> {
    const answer = await this.client.post('/v1/invocations', body, { 'idempotency-key': key });
    if (answer.status === 503) {
      this.refused++;
      return false;
    }
    if (answer.status !== 202 && answer.status !== 200)
      throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    this.accepted.push({ body, key, id: answer.body.id });
    return true;
  }
}
