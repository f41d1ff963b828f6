import type { ShownQueue } from '@errand/contracts';
import { needsOfQueues } from './queue-needs.js';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other fields are not looked at
const queueOf = (queue: Partial<ShownQueue>): ShownQueue =>
  ({ name: 'scripts', paused: null, waiting: 0, active: 0, consumers: 1, ...queue }) as ShownQueue;

describe('What queues need from a person', () => {
  it('Jobs without a living consumer are named, also those of lost processes', () => {
    const lost = queueOf({ active: 2, consumers: 0 });
    expect(needsOfQueues([lost, queueOf({ name: 'idle', consumers: 0 })], true)).toMatchObject([
      { name: 'no-consumer', count: 1, path: '/console/queues/scripts' },
    ]);
    expect(needsOfQueues([lost, queueOf({ name: 'a', waiting: 1, consumers: 0 })], true)).toMatchObject([
      { name: 'no-consumer', count: 2, path: '/console/queues' },
    ]);
  });

  it('A pause says who can end it', () => {
    const paused = [queueOf({ paused: { at: null, by: null, note: null } })];
    expect(needsOfQueues(paused, true).map(({ text }) => text)).toEqual(['queue is paused']);
    expect(needsOfQueues(paused, false).map(({ text }) => text)).toEqual([
      'queue is paused; only the operator can resume it',
    ]);
  });
});
