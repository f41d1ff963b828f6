import { newInvocationId } from '@errand/contracts';
import { cancelInvocation, newestChange, submitInvocations } from '@errand/queue';
import { recordOf, useQueues } from '../../../../libs/queue/test/use-queues.js';
import { ChangedIds } from './changed-ids.js';

const kit = useQueues({ each: true });
const ROOT = '{errand}';

async function begin(): Promise<ChangedIds> {
  const changed = new ChangedIds();
  changed.begin(ROOT, await newestChange(kit.queues, 'default'));
  return changed;
}

async function submit(count: number): Promise<string[]> {
  const fresh = Array.from({ length: count }, () => ({
    queue: 'invocations' as const,
    id: newInvocationId(),
    record: recordOf(),
  }));
  await submitInvocations(kit.queues, fresh);
  return fresh.map(({ id }) => id);
}

const read = (changed: ChangedIds) => changed.readFrom(kit.queues, 'default');

describe('The changed invocations of a tenant', () => {
  it('Each changed invocation is taken once, in the order of changes', async () => {
    await submit(2);
    const changed = await begin();
    await read(changed);
    expect(changed.take(10)).toEqual([]);
    const ids = await submit(3);
    await cancelInvocation(kit.queues, 'default', ids[0]!);
    await read(changed);
    expect(changed.take(10).map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]]);
    expect(changed.take(10)).toEqual([]);
    expect(changed.takeSkipped()).toBe(0);
  });

  it('A client that resumes at the position of any taken one misses nothing that was not taken before', async () => {
    const changed = await begin();
    const first = await submit(4);
    await read(changed);
    const [one, two] = changed.take(2);
    expect([one!.id, two!.id]).toEqual(first.slice(0, 2));
    // The third one changes again, and now has a higher number than the fourth.
    await cancelInvocation(kit.queues, 'default', first[2]!);
    await read(changed);
    const [three] = changed.take(1);
    expect(three!.id).toBe(first[2]);
    for (const [taken, missed] of [
      [one!, first.slice(1)],
      [two!, first.slice(2)],
      [three!, [first[3]]],
    ] as const) {
      const again = new ChangedIds();
      again.begin(ROOT, taken.changes.get(ROOT)!);
      await read(again);
      const ids = again.take(10).map(({ id }) => id);
      expect(missed.every((id) => ids.includes(id!))).toBe(true);
    }
  });

  it('Of more than 400 changes at once the newest are kept, and the others are counted', async () => {
    const changed = await begin();
    const ids = await submit(1_000);
    await read(changed);
    expect(changed.takeSkipped()).toBe(600);
    expect(changed.takeSkipped()).toBe(0);
    expect(changed.take(1_000).map(({ id }) => id)).toEqual(ids.slice(600));
    expect(changed.position().get(ROOT)).toBe(await newestChange(kit.queues, 'default'));
  });

  it('Progress adds an invocation once, with the position that the client has already', async () => {
    const changed = await begin();
    const [id] = await submit(1);
    changed.addProgress(ROOT, 'inv_progress');
    changed.addProgress(ROOT, 'inv_progress');
    await read(changed);
    const before = changed.position().get(ROOT)!;
    const taken = changed.take(10);
    expect(taken.map((each) => each.id)).toEqual(['inv_progress', id]);
    expect(taken[0]!.changes.get(ROOT)).toBe(before);
  });
});
