import type { ShownQueue } from '@errand/contracts';
import { lacksConsumer, stateOfQueue } from './queue-state.js';

const queueOf = (waiting: number, active: number, consumers: number): ShownQueue => ({
  name: 'scripts',
  paused: null,
  waiting,
  active,
  later: 0,
  owed: 0,
  oldestMs: 0,
  slots: consumers,
  consumers,
  perMinute: 0,
  p50WaitMs: 0,
  tenants: [],
  nextCursor: null,
});

describe('The state of a queue', () => {
  it('Jobs that wait or whose process was lost need a consumer', () => {
    expect(stateOfQueue(queueOf(1, 0, 0))).toBe('stuck');
    expect(stateOfQueue(queueOf(0, 2, 0))).toBe('stuck');
    expect(stateOfQueue(queueOf(0, 0, 0))).toBe('unserved');
    expect(stateOfQueue(queueOf(0, 2, 1))).toBe('working');
    expect(stateOfQueue(queueOf(0, 0, 1))).toBe('idle');
  });

  it('A paused queue is paused, and may lack a consumer too', () => {
    const queue = { ...queueOf(0, 2, 0), paused: { at: null, by: null, note: null } };
    expect(stateOfQueue(queue)).toBe('paused');
    expect(lacksConsumer(queue)).toBe(true);
  });
});
