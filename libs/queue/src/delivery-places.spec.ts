import { DeliveryPlaces } from './delivery-places.js';

/** Takes all that are free; returns how many. */
function takeAll(places: DeliveryPlaces, receiver: string): number {
  let taken = 0;
  while (places.take(receiver)) taken++;
  return taken;
}

describe('the places at a receiver', () => {
  it('are given until all are taken, to each receiver its own', () => {
    const places = new DeliveryPlaces(2);
    expect([takeAll(places, 'slow'), takeAll(places, 'quick')]).toEqual([2, 2]);
    expect(places.room('slow')).toBe(0);
    places.leave('slow', true, 10);
    expect(places.room('slow')).toBe(1);
  });

  it('are halved by each failure, down to one, and grow by each success', () => {
    const places = new DeliveryPlaces(8);
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

  it('should have been given, twice over, in a time that goes by how quick the receiver was of late', () => {
    const places = new DeliveryPlaces(1);
    for (const receiver of ['quick', 'slow', 'down']) places.take(receiver);
    places.leave('quick', true, 20);
    places.leave('down', false, 20);
    places.leave('slow', true, 5_000);
    const turns = (receiver: string) => [0, 99].map((waiting) => places.turnMs(receiver, waiting));
    expect(turns('unknown')).toEqual([1_000, 20_000]);
    expect([turns('quick'), turns('down')]).toEqual([
      [1_000, 4_000],
      [1_000, 4_000],
    ]);
    expect(turns('slow')).toEqual([10_000, 60_000]);
    places.take('quick');
    places.leave('quick', true, 4_020);
    expect(places.turnMs('quick', 0)).toBe(2_040);
    places.take('quick');
    places.leave('quick', true, 1);
    expect(Number.isInteger(places.turnMs('quick', 0))).toBe(true);
  });
});
