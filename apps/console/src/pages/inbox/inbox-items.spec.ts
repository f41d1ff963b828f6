import type { InboxItem } from '@errand/contracts';
import { hasEnded } from './inbox-items.js';

const item = (minute: number | null, id = `w${minute}`) =>
  ({ id, invocationId: id, step: 0, nodeId: null, until: minute && `2026-01-01T00:0${minute}:00.000Z` }) as InboxItem;

describe('The end of a question', () => {
  const part = { items: [item(1), item(5)], nextCursor: 'more' };

  it('A question that the whole list lacks has ended', () => {
    const whole = { ...part, nextCursor: null };
    expect([1, 3, 9, null].map((minute) => hasEnded(item(minute), whole))).toEqual([false, true, true, true]);
    expect(hasEnded(item(5, 'another'), whole)).toBe(true);
  });

  it('A question of a page that is not read, or of a missing shard, may still wait', () => {
    expect([3, 9, null].map((minute) => hasEnded(item(minute), part))).toEqual([true, false, false]);
    expect(hasEnded(item(3), { items: [], nextCursor: 'more' })).toBe(false);
    expect(hasEnded(item(3), { ...part, nextCursor: null, partial: true })).toBe(false);
  });
});
