import { newInvocationId } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { cancelInvocation, submitInvocation, type Outcome, type Work } from '../index.js';

const kit = useQueues({ each: true });
const { serve, until } = kit;

const DONE: Outcome = { steps: [{ status: 'succeeded', result: 1 }] };

/** A promise and the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

async function submit(name: string): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(kit.queues, 'invocations', id, recordOf({}, { arguments: { name } }));
  return id;
}

const nameOf = ({ record }: Work) => record.calls[0]!.arguments['name'] as string;

describe('Jobs that release their slot while they wait', () => {
  it('A job that waits without a slot lets the next job run', async () => {
    const answer = gate();
    await serve(
      'invocations',
      async (work) => {
        if (nameOf(work) === 'waits') await work.withoutSlot(answer.opened);
        return DONE;
      },
      { concurrency: 1 },
    );
    const waiting = await Promise.all(Array.from({ length: 20 }, () => submit('waits')));
    await until(await submit('runs'), 'succeeded');
    answer.open();
    for (const id of waiting) await until(id, 'succeeded');
  });

  it('A job continues only when a slot is free, and before the jobs of the queue', async () => {
    const [answer, work1] = [gate(), gate()];
    const order: string[] = [];
    let holding = 0;
    const hold = async (name: string, work?: Promise<void>) => {
      holding++;
      order.push(`${name} holds ${holding}`);
      await work;
      holding--;
    };
    await serve(
      'invocations',
      async (work) => {
        const name = nameOf(work);
        if (name === 'waits') await work.withoutSlot(answer.opened);
        await hold(name, name === 'holds' ? work1.opened : undefined);
        return DONE;
      },
      { concurrency: 1 },
    );
    const waits = await submit('waits');
    const holds = await submit('holds');
    const queued = await submit('queued');
    await until(holds, 'running');
    answer.open();
    await until(waits, 'running');
    work1.open();
    for (const id of [waits, holds, queued]) await until(id, 'succeeded');
    expect(order).toEqual(['holds holds 1', 'waits holds 1', 'queued holds 1']);
  });

  it('The last of several waits of one job takes the slot again', async () => {
    const [first, second] = [gate(), gate()];
    await serve(
      'invocations',
      async (work) => {
        if (nameOf(work) === 'waits')
          await Promise.all([work.withoutSlot(first.opened), work.withoutSlot(second.opened)]);
        return DONE;
      },
      { concurrency: 1 },
    );
    const waits = await submit('waits');
    first.open();
    await until(await submit('runs'), 'succeeded');
    second.open();
    await until(waits, 'succeeded');
    await until(await submit('runs'), 'succeeded');
  });

  it('A job that is cancelled while it waits leaves no slot occupied', async () => {
    await serve(
      'invocations',
      async (work) => {
        const cancelled = new Promise<never>((_resolve, reject) => {
          work.signal.addEventListener('abort', () => reject(work.signal.reason as Error), { once: true });
        });
        if (nameOf(work) === 'waits') await work.withoutSlot(cancelled);
        return DONE;
      },
      { concurrency: 1 },
    );
    for (let round = 0; round < 3; round++) {
      const waits = await submit('waits');
      await until(waits, 'running');
      await cancelInvocation(kit.queues, 'default', waits);
      await until(waits, 'cancelled');
      await until(await submit('runs'), 'succeeded');
    }
  });

  it('A consumer that closes finishes the jobs that wait without a slot', async () => {
    const answer = gate();
    const consumer = await serve(
      'invocations',
      async (work) => {
        await work.withoutSlot(answer.opened);
        return DONE;
      },
      { concurrency: 1 },
    );
    const ids = [await submit('a'), await submit('b')];
    for (const id of ids) await until(id, 'running');
    const closed = consumer.close();
    answer.open();
    await closed;
    for (const id of ids) await until(id, 'succeeded');
  });
});
