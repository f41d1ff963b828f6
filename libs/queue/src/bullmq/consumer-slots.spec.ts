import { Semaphore } from '@errand/contracts';
import { ConsumerSlots } from './consumer-slots.js';

const MOST = 50;
const slotsOf = (shared: Semaphore, sharedPart?: number) =>
  new ConsumerSlots({ concurrency: 10, shared, sharedPart, onChange: () => {}, onNoneShared: () => {} });

describe('Slots that consumers share', () => {
  it('A call claims one shared slot', () => {
    const shared = new Semaphore(10);
    expect(slotsOf(shared).claim(MOST)).toBe(1);
    expect(shared.free).toBe(9);
  });

  it('Calls of several shards claim half of the free slots each, down to one and none', () => {
    const shared = new Semaphore(17);
    expect(slotsOf(shared, 0.5).claim(2)).toBe(2);
    const claims = Array.from({ length: 6 }, () => slotsOf(shared, 0.5).claim(MOST));
    expect(claims).toEqual([7, 4, 2, 1, 1, 0]);
  });

  it('A claim has no more slots than its consumer may use', () => {
    expect(slotsOf(new Semaphore(40), 0.5).claim(MOST)).toBe(10);
  });

  it('Claimed slots that got no job are free for the other consumers', () => {
    const shared = new Semaphore(3);
    const first = slotsOf(shared, 1);
    expect(first.claim(MOST)).toBe(3);
    first.giveBack(2);
    expect(first.free).toBe(9);
    expect(slotsOf(shared, 1).claim(MOST)).toBe(2);
  });
});
