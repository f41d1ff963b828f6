import { DeliveryPlaces } from './delivery-places.js';

describe('the places at a receiver', () => {
  it('are given until all are taken, to each receiver its own', () => {
    const places = new DeliveryPlaces(2);
    expect(['a', 'b', 'c'].map((id) => places.take('slow', id))).toEqual([true, true, false]);
    expect(places.take('quick', 'd')).toBe(true);
  });

  it('go to whoever has waited longest, once one is free', () => {
    const places = new DeliveryPlaces(1);
    places.take('slow', 'a');
    expect([places.putAside('slow', 'b'), places.putAside('slow', 'c')]).toEqual([1, 2]);
    expect(places.next('slow')).toBeUndefined();
    places.leave('slow', true);
    expect([places.next('slow'), places.next('slow'), places.next('slow')]).toEqual(['b', 'c', undefined]);
  });

  it('are not called for one that came by itself', () => {
    const places = new DeliveryPlaces(1);
    places.take('slow', 'a');
    places.putAside('slow', 'b');
    places.leave('slow', true);
    expect(places.take('slow', 'b')).toBe(true);
    places.leave('slow', true);
    expect(places.next('slow')).toBeUndefined();
  });

  it('are but one where the last delivery failed, until one succeeds', () => {
    const places = new DeliveryPlaces(3);
    places.take('down', 'a');
    places.leave('down', false);
    expect([places.take('down', 'b'), places.take('down', 'c')]).toEqual([true, false]);
    places.leave('down', true);
    expect([places.take('down', 'd'), places.take('down', 'e')]).toEqual([true, true]);
  });
});
