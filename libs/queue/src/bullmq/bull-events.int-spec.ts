import { QueueEvents } from 'bullmq';
import { ToolError } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { succeed, useQueues } from '../../test/use-queues.js';
import { AttemptFailed, type Outcome, type Work } from '../index.js';
import { scriptWithEvents, withoutEvents, writeBullmqEvents } from './bull-events.js';

const kit = useQueues({ each: true });
const { serve, submit, until } = kit;
afterEach(() => writeBullmqEvents(false));

/** The first job fails, the others succeed; each is retried once. */
async function run(work: Work): Promise<Outcome> {
  if (work.attempt === 1) throw new AttemptFailed(new ToolError('ServiceError', 'again'), 1);
  if (work.record.metadata?.['fails']) throw new ToolError('ScriptError', 'no', { code: 1 });
  return succeed();
}

async function liveThreeLives(): Promise<string[]> {
  await serve('invocations', run);
  const ids = [await submit(), await submit({ delayMs: 1 }), await submit({}, { metadata: { fails: 'yes' } })];
  for (const id of ids) await until(id, 'succeeded', 'failed');
  await kit.queues.byName.invocations.pause();
  await kit.queues.byName.invocations.resume();
  return ids;
}

describe("BullMQ's events", () => {
  it('No event is written by default, also by retries, delays and a pause', async () => {
    await liveThreeLives();
    expect(await kit.queues.redis.keys('{errand}:*:events')).toEqual([]);
  });

  it("BullMQ's QueueEvents reads the events of a job from its addition to its end if they are written", async () => {
    writeBullmqEvents(true);
    const events = new QueueEvents('invocations', { connection: { url: kit.redis.url }, prefix: '{errand}' });
    await events.waitUntilReady();
    const seen: Record<string, unknown>[] = [];
    for (const name of ['added', 'waiting', 'active', 'delayed', 'completed', 'failed'] as const)
      events.on(name, (args: object) => seen.push({ ...args, event: name }));
    const [first, delayed, failing] = await liveThreeLives();
    const namesOf = (id: unknown) => seen.filter(({ jobId }) => jobId === id).map(({ event }) => event);
    const isWhole = () => namesOf(failing).includes('failed') && namesOf(delayed).includes('completed');
    await eventually(() => isWhole() && namesOf(first).includes('completed'), 'each job has its last event');
    expect(namesOf(first)).toEqual(['added', 'waiting', 'active', 'delayed', 'waiting', 'active', 'completed']);
    expect(namesOf(delayed).slice(0, 4)).toEqual(['added', 'delayed', 'waiting', 'active']);
    expect(seen.find(({ event, jobId }) => event === 'failed' && jobId === failing)).toMatchObject({
      failedReason: expect.stringContaining('ScriptError') as string,
      prev: 'active',
    });
    await events.close();
  });

  it('Every command of a script that writes events is recognized', () => {
    const { content = '' } = scriptWithEvents('moveToFinished') ?? {};
    expect(content).toContain('XADD');
    expect(withoutEvents(content)).not.toMatch(/XADD|XTRIM/);
    expect(scriptWithEvents('extendLocks')).toBeUndefined();
  });
});
