import { setTimeout } from 'node:timers/promises';
import { newInvocationId, ToolError } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { submitInvocations, type Outcome, type Work } from '../index.js';
import { eventually } from '../../../../test/support/eventually.js';

const DONE: Outcome = { steps: [{ status: 'succeeded', result: 1 }] };
const SLOTS = 4;

/** A consumer whose jobs run until the test ends them one by one. */
class HeldJobs {
  /** The tenants of all starts, in order. */
  readonly starts: string[] = [];
  private readonly held: ((end: Outcome | Error) => void)[] = [];

  private isOver = false;

  readonly run = ({ record }: Work): Promise<Outcome> => {
    this.starts.push(record.tenant);
    if (this.isOver) return Promise.resolve(DONE);
    return new Promise((resolve, reject) =>
      this.held.push((end) => (end instanceof Error ? reject(end) : resolve(end))),
    );
  };

  /** Ends the job that has run for longest, and waits until another one has taken its slot. */
  async endOne(end: Outcome | Error = DONE): Promise<void> {
    const before = this.starts.length;
    this.held.shift()?.(end);
    await eventually(() => this.starts.length > before);
  }

  /** Ends all jobs, so that the consumer can close. */
  release(): void {
    this.isOver = true;
    for (const end of this.held.splice(0)) end(DONE);
  }
}

let jobs: HeldJobs;
beforeEach(() => (jobs = new HeldJobs()));
// Before the hook of `useQueues`, which closes the consumer.
afterEach(() => jobs.release());
const kit = useQueues({ each: true });

async function submit(tenant: string, count: number, options: (n: number) => object = () => ({})): Promise<void> {
  const fresh = Array.from({ length: count }, (_, n) => ({
    queue: 'invocations' as const,
    id: newInvocationId(),
    record: recordOf({ tenant, retry: { attempts: 3, backoff: { type: 'fixed', delayMs: 1 } } }),
    options: options(n),
  }));
  await submitInvocations(kit.queues, fresh);
}

/** How many jobs of others start before the one of the light tenant, which is submitted now. */
async function startsBeforeLight(): Promise<number> {
  const from = jobs.starts.length;
  await submit('light', 1);
  for (let n = 0; !jobs.starts.includes('light', from) && n < 100; n++) await jobs.endOne();
  return jobs.starts.indexOf('light', from) - from;
}

describe('A light tenant beside floods', () => {
  it('Its job starts next while another tenant has hundreds of jobs waiting and holds all slots', async () => {
    // How long a job holds its slot depends on the machine, and can cost the light tenant several turns.
    await kit.serve('invocations', jobs.run, { concurrency: SLOTS, fair: { maxShare: 1, cost: 'count' } });
    await submit('heavy', 300);
    await eventually(() => jobs.starts.length === SLOTS);
    for (let round = 0; round < 8; round++) {
      for (let n = 0; n < SLOTS; n++) await jobs.endOne();
      expect(await startsBeforeLight()).toBe(0);
    }
  });

  it('At most one job of each flood starts before its job, whatever priorities, delays and retries the floods have', async () => {
    await kit.serve('invocations', jobs.run, { concurrency: SLOTS });
    const options = (n: number) => [{ priority: 1 + (n % 9) }, { delayMs: 1 }, {}][n % 3] ?? {};
    await submit('heavy', 150, options);
    await submit('other', 150, options);
    await eventually(() => jobs.starts.length === SLOTS);
    for (let round = 0; round < 8; round++) {
      for (let n = 0; n < 2 * SLOTS; n++)
        await jobs.endOne(n % 2 === 0 ? new ToolError('ServiceError', 'again') : DONE);
      expect(await startsBeforeLight()).toBeLessThanOrEqual(2);
    }
  });

  it('All jobs that wait for their start beside it run, and the consumer then looks for more', async () => {
    const started: string[] = [];
    const run = async ({ record }: Work): Promise<Outcome> => {
      started.push(record.tenant);
      await setTimeout(20);
      return DONE;
    };
    await kit.serve('invocations', run, { concurrency: SLOTS });
    for (let round = 1; round <= 3; round++) {
      await submit('heavy', 20);
      await eventually(() => started.includes('heavy', started.length - SLOTS));
      await submit('light', 1);
      await eventually(() => started.length === round * 21);
    }
  });
});
