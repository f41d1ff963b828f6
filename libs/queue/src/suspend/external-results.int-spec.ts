import { succeed, suspendOnce, useQueues } from '../../test/use-queues.js';
import { giveAnswer, readAnswers, SuspendJob, type Queues, type Work } from '../index.js';

const kit = useQueues();
const { serve, submit, until } = kit;
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

describe('Answers to suspended invocations', () => {
  it('An invocation suspended for an answer holds no slot and continues with the answer', async () => {
    const seen: Work[] = [];
    await serve('invocations', suspendOnce(undefined, 'answer', seen), { concurrency: 1 });
    const id = await submit();
    expect(await until(id, 'waiting_external')).toMatchObject({ finishedAt: null, steps: [{ attempts: 1 }] });
    await until(await submit(), 'waiting_external');
    expect(await giveAnswer(queues, { reach: 'default', id, field: '0' }, { answer: { result: 7 } })).toBe('taken');
    const ended = await until(id, 'succeeded');
    expect(ended.steps[0]!.attempts).toBe(1);
    expect(seen.at(-1)).toMatchObject({ attempt: 2, suspensions: 1, begunAt: seen[0]!.begunAt, afterCrash: false });
    expect(Date.parse(ended.startedAt!)).toBe(seen[0]!.begunAt);
    expect((await readAnswers(queues, id)).get('0')).toEqual({ answer: { result: 7 } });
  });

  it('An answer that arrives while the invocation is being suspended is not lost', async () => {
    let runs = 0;
    await serve('invocations', async (work) => {
      runs += 1;
      const answered = (await readAnswers(queues, work.id)).has('0');
      if (answered) return succeed();
      // The answer arrives after the read and before the job is suspended.
      await giveAnswer(queues, { reach: 'default', id: work.id, field: '0' }, { answer: { result: 1 } });
      throw new SuspendJob(undefined, 'answer');
    });
    const id = await submit();
    await until(id, 'succeeded');
    expect(runs).toBe(2);
  });

  it('A wait accepts one answer, repeats of the same answer, and no new answer after the end', async () => {
    await serve('invocations', suspendOnce(undefined, 'answer'));
    const id = await submit();
    await until(id, 'waiting_external');
    const give = (result: number) =>
      giveAnswer(queues, { reach: 'default', id, field: '0' }, { answer: { result }, nodeId: 'a' });
    const given = await Promise.all([give(1), give(1), give(1)]);
    expect(given).toEqual(['taken', 'taken', 'taken']);
    expect(await give(2)).toBe('other');
    await until(id, 'succeeded');
    expect(await give(1)).toBe('taken');
    const late = { reach: 'default', id, field: '0/other' };
    expect(await giveAnswer(queues, late, { answer: { result: 1 } })).toBe('ended');
    expect(await giveAnswer(queues, { ...late, reach: 'stranger' }, { answer: { result: 1 } })).toBe('ended');
  });
});
