import { newInvocationId } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { holdAdmissionOf, placesIn } from '../../test/lanes.js';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import { submitInvocations, type SubmitOptions } from '../index.js';
import { deliveryId } from '../redis/job-ids.js';
import { keys } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import { suspendJob, SuspendJob } from '../suspend/suspend-job.js';
import { addWaiter } from '../suspend/waiters.js';
import { END_CODE, finishAndTake, type Ending } from './finish-and-take.js';
import type { TakenFields } from './taken-job.js';

const TENANT = 'acme';
const RECORD = recordOf({ tenant: TENANT });
const LANE = `fair:lane:0:${TENANT}:`;
const kit = useQueues({ each: true });

async function submit(options: SubmitOptions = {}, more = {}): Promise<string> {
  const id = newInvocationId();
  await submitInvocations(kit.queues, [{ queue: 'invocations', id, record: RECORD, options, ...more }]);
  return id;
}

let calls = 0;
/** One call of a consumer that has no process: it ends jobs and takes one. */
async function call(ends: Ending[] = []): Promise<{ codes: number[]; job: TakenFields | undefined; token: string }> {
  const token = `c:${calls++}`;
  const { redis } = kit.queues;
  const consumer = { queue: 'invocations' as const, consumer: 'c', lockMs: 60_000 };
  const rules = rulesArgs(USUAL_RULES, 0);
  const { codes, taken } = await finishAndTake(redis, consumer, {
    call: token,
    now: Date.now(),
    ends,
    wanted: 1,
    portion: 1,
    rules,
  });
  return { codes, job: taken[0], token };
}

const endOf = ({ job, token }: { job: TakenFields | undefined; token: string }, isSuccess = true): Ending => ({
  id: job?.[9] ?? '',
  token,
  attempt: Number(job?.[5]),
  isSuccess,
  value: isSuccess ? JSON.stringify({ steps: [{ status: 'succeeded', result: 1 }] }) : '{"type":"ScriptError"}',
  name: 'test:tool',
  tenant: TENANT,
  idempotency: undefined,
  tools: '',
  agent: '',
});

const holdAdmission = () => holdAdmissionOf(kit.queues, 'invocations', RECORD);
const placesOf = (id: string) => placesIn(kit.queues, 'invocations', id);

async function untilDue(id: string): Promise<void> {
  const score = () => kit.queues.redis.zscore(keys.set('invocations', 'delayed'), id);
  await eventually(async () => Number(await score()) / 0x1000 < Date.now());
}

describe("Jobs that become ready by a call of Errand's consumer go to the lane of their tenant", () => {
  it('A delayed job that is due', async () => {
    const id = await submit({ delayMs: 1 });
    await holdAdmission();
    await untilDue(id);
    await call();
    expect(await placesOf(id)).toEqual([LANE]);
  });

  it.each([true, false])('The delivery of an ended invocation; it succeeded: %s', async (isSuccess) => {
    const id = await submit({}, { callback: { url: 'https://hooks.example/' } });
    expect(await placesIn(kit.queues, DELIVERIES, deliveryId(id, 0))).toEqual([]);
    const taken = await call();
    expect(taken.job?.[9]).toBe(id);
    expect((await call([endOf(taken, isSuccess)])).codes).toEqual([END_CODE.ended]);
    expect(await placesIn(kit.queues, DELIVERIES, deliveryId(id, 0))).toEqual([LANE]);
  });

  it('An invocation that waits for the ended one', async () => {
    const [waiter, other] = [await submit(), await submit()];
    const { token } = await call();
    const { redis } = kit.queues;
    await addWaiter(kit.queues, other, waiter);
    const owned = { id: waiter, token, record: RECORD };
    await suspendJob(redis, 'invocations', owned, new SuspendJob(undefined, 'time'));
    const taken = await call();
    expect(taken.job?.[9]).toBe(other);
    await holdAdmission();
    await call([endOf(taken)]);
    await holdAdmission();
    await call();
    expect(await placesOf(waiter)).toEqual([LANE]);
  });
});
