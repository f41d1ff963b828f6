import { isInvocationId, newInvocationId, ToolError } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { beginAttempt, MAIN, turnOf } from '../../test/sessions.js';
import { recordOf, suspendOnce, useQueues } from '../../test/use-queues.js';
import {
  AttemptFailed,
  copyPreviousRun,
  EventWriter,
  extendRetention,
  giveAnswer,
  JournalWriter,
  recordChild,
  RetentionCleaner,
  runChild,
  storeArtifacts,
  submitInvocation,
  TurnWriter,
  updateState,
} from '../index.js';
import { dataKeysOf, keys } from '../redis/names.js';

const AGE_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const FOREVER = new AbortController().signal;
const FAR = { event: 'progress', value: 0.5 } as const;

const kit = useQueues({ retention: { ageSeconds: AGE_SECONDS, count: 1_000 }, each: true });

/** The lives in seconds of those keys of an invocation that exist, by the part of their name behind the prefix. */
async function livesOf(id: string): Promise<Record<string, number>> {
  const lives: Record<string, number> = {};
  for (const name of dataKeysOf(keys, id)) {
    const seconds = await kit.queues.redis.ttl(name);
    if (seconds !== -2) lives[name.split(':')[1] ?? ''] = seconds === -1 ? Infinity : seconds;
  }
  return lives;
}

const shortest = (lives: Record<string, number>) => Math.min(...Object.values(lives));

/** Writes each kind of data for a running attempt. */
async function writeAll(id: string, attempt: number): Promise<void> {
  const { queues } = kit;
  const events = new EventWriter(queues, id, () => {}, { queue: 'invocations', attempt });
  events.emit(FAR);
  await events.flush();
  const journal = new JournalWriter(queues, 'invocations', id, attempt);
  await journal.write([['0/a', { status: 'succeeded' }]]);
  await journal.writeStep(0, { status: 'succeeded', result: 'x'.repeat(100_000) });
  await recordChild(queues, id, { id: `${id}.0`, queue: 'scripts' });
  await giveAnswer(queues, { reach: 'default', id, field: '0' }, { answer: { result: 1 } });
  await storeArtifacts(queues, { id, step: 0 }, [{ name: 'a', bytes: Buffer.from('a'), sha256: 'a' }]);
}

describe('The data of an open invocation', () => {
  it('Each kind of data outlives a pause before a retry that is longer than the retention age', async () => {
    await kit.serve('invocations', async ({ id, attempt }) => {
      await writeAll(id, attempt);
      throw new AttemptFailed(new ToolError('ServiceError', 'away'), 2 * DAY_SECONDS * 1_000);
    });
    const id = await kit.submit();
    const delayed = keys.set('invocations', 'delayed');
    await eventually(async () => (await kit.queues.redis.zscore(delayed, id)) !== null, 'the pause begins');
    const lives = await livesOf(id);
    const written = ['answers', 'artifact-bytes', 'artifacts', 'children', 'events', 'journal', 'results', 'state'];
    expect(Object.keys(lives).toSorted()).toEqual(written);
    expect(shortest(lives)).toBeGreaterThan(90 * DAY_SECONDS);
  });

  it('A step of a turn and a change of a state keep the data of the turn as long', async () => {
    const id = newInvocationId();
    await submitInvocation(kit.queues, 'invocations', id, turnOf(MAIN));
    const turn = await beginAttempt(kit.queues, id, MAIN);
    const text = { event: 'text', round: 0, messageId: 'm', delta: 'x'.repeat(3_000) } as const;
    await new TurnWriter(kit.queues, turn).commit({ fields: [['0', 1]], events: [text] });
    const change = () => ({ n: 1 });
    await updateState(kit.queues, MAIN, change, { id, attempt: turn.attempt, mark: 'changed' });
    const lives = await livesOf(id);
    expect(Object.keys(lives).toSorted()).toEqual(['events', 'journal', 'state']);
    expect(shortest(lives)).toBeGreaterThan(90 * DAY_SECONDS);
  });

  it('A suspended invocation that waits in its queue after its wait keeps its data for longer than the retention age', async () => {
    const id = await kit.submit();
    await kit.queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1');
    await writeAll(id, 1);
    await extendRetention(kit.queues, id, [], Date.now() + 200 * DAY_SECONDS * 1_000);
    expect((await livesOf(id))['journal']).toBeGreaterThan(280 * DAY_SECONDS);
  });

  it('The large results of a repair live as long as those of any other invocation', async () => {
    const id = newInvocationId();
    const fields = new Map([['1/0/0', '"x"']]);
    await copyPreviousRun(kit.queues, id, { journal: fields, state: fields, answers: fields, results: fields });
    const lives = await livesOf(id);
    expect(Object.keys(lives)).toHaveLength(4);
    expect(shortest(lives)).toBeGreaterThan(90 * DAY_SECONDS);
  });
});

describe('The data of an ended invocation', () => {
  it('Each kind of data is removed with the job when the retention age has passed, also after a suspension', async () => {
    await kit.serve('invocations', async (work) => {
      await writeAll(work.id, work.attempt);
      return suspendOnce(Date.now(), 'time')(work);
    });
    const id = newInvocationId();
    const source = { text: 'echo 1', protocol: 'any' };
    const fields = new Map([['1/0/0', '"x"']]);
    await copyPreviousRun(kit.queues, id, { journal: fields, state: fields, answers: fields, results: fields });
    await kit.queues.redis.set(keys.source(id), JSON.stringify(source));
    await kit.queues.redis.xadd(keys.log(id), '1-1', 'lines', '{}', 'bytes', '2');
    await submitInvocation(kit.queues, 'invocations', id, recordOf());
    await kit.until(id, 'succeeded');
    expect(Object.keys(await livesOf(id))).toHaveLength(dataKeysOf(keys, id).length);
    const cleaner = new RetentionCleaner(kit.queues, (error) => {
      throw error;
    });
    expect(await cleaner.sweep()).toBe(0);
    expect(shortest(await livesOf(id))).toBeGreaterThan(AGE_SECONDS);
    expect(await cleaner.sweep(Date.now() + (AGE_SECONDS + 1) * 1_000)).toBe(1);
    expect(await livesOf(id)).toEqual({});
  });

  it('A script that succeeds for a step leaves no journal of its own', async () => {
    await kit.serve('scripts', async ({ id, attempt }) => {
      await new JournalWriter(kit.queues, 'scripts', id, attempt).beginOnce('script');
      return { steps: [{ status: 'succeeded', result: 1 }] };
    });
    const invocationId = await kit.submit();
    const parent = { invocationId, step: 0 };
    await runChild(kit.queues, kit.notifications, { ...recordOf(), parent }, FOREVER);
    const journals = await kit.queues.redis.keys('{errand}:journal:*');
    expect(journals.filter((name) => !isInvocationId(name.replace('{errand}:journal:', '')))).toEqual([]);
  });
});
