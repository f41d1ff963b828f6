import { Semaphore } from '@errand/contracts';
import { ConsumerSlots } from './consumer-slots.js';

const MOST = 50;
const slotsOf = (shared: Semaphore, sharedAtOnce?: number) =>
  new ConsumerSlots({ concurrency: 10, shared, sharedAtOnce, onChange: () => {}, onNoneShared: () => {} });

describe('Slots that consumers share', () => {
  it('A call claims one shared slot, or as many as are allowed, wanted and free', () => {
    const shared = new Semaphore(10);
    expect(slotsOf(shared).claim(MOST)).toBe(1);
    expect(slotsOf(shared, 4).claim(MOST)).toBe(4);
    expect(slotsOf(shared, 4).claim(2)).toBe(2);
    expect(slotsOf(shared, 4).claim(MOST)).toBe(3);
    expect(slotsOf(shared, 4).claim(MOST)).toBe(0);
  });

  it('Claimed slots that got no job are free for the other consumers', () => {
    const shared = new Semaphore(3);
    const first = slotsOf(shared, 3);
    expect(first.claim(MOST)).toBe(3);
    first.giveBack(2);
    expect(first.free).toBe(9);
    expect(slotsOf(shared, 3).claim(MOST)).toBe(2);
  });
});
