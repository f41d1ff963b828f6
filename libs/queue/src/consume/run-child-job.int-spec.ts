import { newInvocationId, ToolError } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  EventWriter,
  readEvents,
  removeFailedChildren,
  runChild,
  type NotificationHub,
  type Queues,
} from '../index.js';

const FOREVER = new AbortController().signal;

const kit = useQueues();
const { serve } = kit;
let queues: Queues;
let notifications: NotificationHub;
beforeAll(() => {
  ({ queues, notifications } = kit);
});

const child = (invocationId: string) => ({
  ...recordOf({}, { toolId: 'test:script' }),
  parent: { invocationId, step: 1 },
});

it('A script step that succeeds after a retry has succeeded', async () => {
  let runs = 0;
  await serve('scripts', async () => {
    runs += 1;
    if (runs === 1) throw new ToolError('ServiceError', 'away');
    return succeed();
  });
  const outcome = await runChild(queues, notifications, child(newInvocationId()), FOREVER);
  expect(outcome).toMatchObject({ status: 'succeeded', result: 42 });
});

it('A script step that is requested repeatedly runs once, and each request gets its outcome', async () => {
  const invocationId = newInvocationId();
  let runs = 0;
  await serve('scripts', async () => {
    runs += 1;
    return succeed();
  });
  const outcomes = await Promise.all(
    [1, 2, 3].map(() => runChild(queues, notifications, child(invocationId), FOREVER)),
  );
  for (const outcome of outcomes) expect(outcome).toEqual({ status: 'succeeded', result: 42 });
  expect(await runChild(queues, notifications, child(invocationId), FOREVER)).toEqual(outcomes[0]);
  expect(runs).toBe(1);
});

it('A script step reports each progress once to its caller and leaves no progress data behind', async () => {
  const invocationId = newInvocationId();
  await serve('scripts', async ({ id }) => {
    const events = new EventWriter(queues, id, () => {});
    events.emit({ event: 'progress', value: 0.25 });
    await events.flush();
    events.emit({ event: 'progress', value: 0.5, message: 'half' });
    await events.flush();
    return succeed();
  });
  const reported: [number, string?][] = [];
  const onProgress = (...progress: [number, string?]) => void reported.push(progress);
  await runChild(queues, notifications, child(invocationId), FOREVER, { onProgress });
  expect(reported.at(-1)).toEqual([0.5, 'half']);
  expect(reported.filter(([value]) => value === 0.5)).toHaveLength(1);
  const kept = await queues.redis.keys(`*${invocationId}.*`);
  expect(kept.filter((key) => key.includes(':events:') || key.includes(':state:'))).toEqual([]);
  expect(await readEvents(queues, invocationId)).toEqual([]);
});

it('A failed script step runs anew only after its failure is removed', async () => {
  const invocationId = newInvocationId();
  let runs = 0;
  await serve('scripts', async () => {
    runs += 1;
    if (runs === 1) throw new ToolError('ScriptError', 'no');
    return succeed();
  });
  const run = () => runChild(queues, notifications, child(invocationId), FOREVER);
  await expect(run()).rejects.toMatchObject({ type: 'ScriptError' });
  await expect(run()).rejects.toMatchObject({ type: 'ScriptError' });
  await removeFailedChildren(queues, invocationId);
  expect(await run()).toMatchObject({ status: 'succeeded' });
  expect(runs).toBe(2);
});

it('A script step fails with the error of its script', async () => {
  await serve('scripts', () => Promise.reject(new ToolError('TimeoutError', 'too slow')));
  await expect(runChild(queues, notifications, child(newInvocationId()), FOREVER)).rejects.toMatchObject({
    type: 'TimeoutError',
  });
});
