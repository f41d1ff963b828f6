import { ReceiverLimits } from './receiver-limits.js';

/** Takes all free permits and returns their number. */
function takeAll(places: ReceiverLimits, receiver: string): number {
  let taken = 0;
  while (places.take(receiver)) taken++;
  return taken;
}

describe('The concurrency limit of a receiver', () => {
  it('Each receiver has its own limit, and no delivery exceeds it', () => {
    const places = new ReceiverLimits(2);
    expect([takeAll(places, 'slow'), takeAll(places, 'quick')]).toEqual([2, 2]);
    expect(places.room('slow')).toBe(0);
    places.leave('slow', true, 10);
    expect(places.room('slow')).toBe(1);
  });

  it('A failed delivery halves the limit down to one, and a successful one raises it', () => {
    const places = new ReceiverLimits(8);
    const leave = (...ends: boolean[]) => ends.forEach((succeeded) => places.leave('shaky', succeeded, 10));
    expect(takeAll(places, 'shaky')).toBe(8);
    leave(false, false, true, true, true, true, true, true);
    expect(takeAll(places, 'shaky')).toBe(8);
    leave(...Array<boolean>(8).fill(false));
    expect(takeAll(places, 'shaky')).toBe(1);
    leave(false);
    expect(takeAll(places, 'shaky')).toBe(1);
    leave(true);
    expect(takeAll(places, 'shaky')).toBe(2);
  });

  it('The usual duration of an attempt is a moving average of the last attempts', () => {
    const places = new ReceiverLimits(4);
    expect(places.paceOf('unknown')).toEqual({ places: 4, usualMs: 100 });
    for (const tookMs of [20, 4_020]) {
      places.take('slow');
      places.leave('slow', true, tookMs);
    }
    expect(places.paceOf('slow')).toEqual({ places: 4, usualMs: 1_020 });
    places.take('slow');
    places.leave('slow', false, 1_020);
    expect(places.paceOf('slow')).toEqual({ places: 2, usualMs: 1_020 });
  });
});
