import { ReceiverLimits } from './receiver-limits.js';

/** Takes all free permits and returns their number. */
function takeAll(limits: ReceiverLimits, receiver: string): number {
  let taken = 0;
  while (limits.tryAcquire(receiver)) taken++;
  return taken;
}

describe('The concurrency limit of a receiver', () => {
  it('Each receiver has its own limit, and no delivery exceeds it', () => {
    const limits = new ReceiverLimits(() => 2);
    expect([takeAll(limits, 'slow'), takeAll(limits, 'quick')]).toEqual([2, 2]);
    expect(limits.freeSlots('slow')).toBe(0);
    limits.release('slow', true, 10);
    expect(limits.freeSlots('slow')).toBe(1);
  });

  it('A failed delivery halves the limit down to one, and a successful one raises it', () => {
    const limits = new ReceiverLimits(() => 8);
    const release = (...ends: boolean[]) => ends.forEach((succeeded) => limits.release('shaky', succeeded, 10));
    expect(takeAll(limits, 'shaky')).toBe(8);
    release(false, false, true, true, true, true, true, true);
    expect(takeAll(limits, 'shaky')).toBe(8);
    release(...Array<boolean>(8).fill(false));
    expect(takeAll(limits, 'shaky')).toBe(1);
    release(false);
    expect(takeAll(limits, 'shaky')).toBe(1);
    release(true);
    expect(takeAll(limits, 'shaky')).toBe(2);
  });

  it('A lower highest limit also holds for a receiver that already has deliveries', () => {
    let most = 4;
    const limits = new ReceiverLimits(() => most);
    expect(takeAll(limits, 'known')).toBe(4);
    most = 1;
    expect(limits.freeSlots('known')).toBe(0);
    for (let n = 0; n < 4; n++) limits.release('known', true, 10);
    expect([takeAll(limits, 'known'), takeAll(limits, 'new')]).toEqual([1, 1]);
  });

  it('The usual duration of an attempt is a moving average of the last attempts', () => {
    const limits = new ReceiverLimits(() => 4);
    expect(limits.estimateOf('unknown')).toEqual({ limit: 4, averageMs: 100 });
    for (const tookMs of [20, 4_020]) {
      limits.tryAcquire('slow');
      limits.release('slow', true, tookMs);
    }
    expect(limits.estimateOf('slow')).toEqual({ limit: 4, averageMs: 1_020 });
    limits.tryAcquire('slow');
    limits.release('slow', false, 1_020);
    expect(limits.estimateOf('slow')).toEqual({ limit: 2, averageMs: 1_020 });
  });

  it('One deferred delivery becomes due for each ended one, and one more, as far as slots are free', () => {
    const limits = new ReceiverLimits(() => 4);
    takeAll(limits, 'busy');
    expect(limits.dueAfter('busy', 1)).toBe(0);
    limits.release('busy', true, 10);
    expect(limits.dueAfter('busy', 1)).toBe(1);
    for (let n = 0; n < 3; n++) limits.release('busy', true, 10);
    expect([0, 1, 2, 8].map((ended) => limits.dueAfter('busy', ended))).toEqual([1, 2, 3, 4]);
  });
});
