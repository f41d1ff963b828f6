import { DeliveryPlaces } from './delivery-places.js';

/** How long an attempt takes at most, in ms. */
const LONGEST = 10_000;

describe('the places at a receiver', () => {
  it('are given until all are taken, to each receiver its own', () => {
    const places = new DeliveryPlaces(2, LONGEST);
    expect(['a', 'b', 'c'].map((id) => places.take('slow', id))).toEqual([true, true, false]);
    expect(places.take('quick', 'd')).toBe(true);
  });

  it('go to whoever has waited longest, once one is free', () => {
    const places = new DeliveryPlaces(1, LONGEST);
    places.take('slow', 'a');
    places.putAside('slow', 'b');
    places.putAside('slow', 'c');
    expect(places.next('slow')).toBeUndefined();
    places.leave('slow', true, 10);
    expect([places.next('slow'), places.next('slow'), places.next('slow')]).toEqual(['b', 'c', undefined]);
  });

  it('are not called for one that came by itself', () => {
    const places = new DeliveryPlaces(1, LONGEST);
    places.take('slow', 'a');
    places.putAside('slow', 'b');
    places.leave('slow', true, 10);
    expect(places.take('slow', 'b')).toBe(true);
    places.leave('slow', true, 10);
    expect(places.next('slow')).toBeUndefined();
  });

  it('are but one where the last delivery failed, until one succeeds', () => {
    const places = new DeliveryPlaces(3, LONGEST);
    places.take('down', 'a');
    places.leave('down', false, 10);
    expect([places.take('down', 'b'), places.take('down', 'c')]).toEqual([true, false]);
    places.leave('down', true, 10);
    expect([places.take('down', 'd'), places.take('down', 'e')]).toEqual([true, true]);
  });

  it('are looked for again, should nobody call, about when the turn has come: by how quick the receiver was of late', () => {
    const places = new DeliveryPlaces(1, LONGEST);
    const putAside = (receiver: string, count: number) =>
      Array.from({ length: count }, (_, n) => places.putAside(receiver, `${receiver} ${n}`)).at(-1);
    expect([putAside('unknown', 1), putAside('unknown', 1_000)]).toEqual([20_000, 60_000]);
    for (const receiver of ['quick', 'slow', 'down']) places.take(receiver, 'a');
    places.leave('quick', true, 20);
    places.leave('down', false, 20);
    places.leave('slow', true, 5_000);
    expect([putAside('quick', 1), putAside('quick', 100)]).toEqual([1_000, 4_000]);
    expect(putAside('down', 100)).toBe(4_000);
    expect([putAside('slow', 1), putAside('slow', 100)]).toEqual([10_000, 60_000]);
    places.take('quick', 'b');
    places.leave('quick', true, 4_020);
    expect(putAside('quick', 1)).toBe(60_000);
  });
});
