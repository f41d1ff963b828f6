import { FollowedByTabs } from './followed-by-tabs.js';

describe('What the tabs of a browser follow', () => {
  it('Each id is followed once, and no longer than its tab lives', () => {
    const tabs = new FollowedByTabs();
    tabs.set('a', ['inv_2', 'inv_1'], 0);
    tabs.set('b', ['inv_2', 'inv_3'], 100_000);
    expect(tabs.ids(100_000)).toEqual(['inv_1', 'inv_2', 'inv_3']);
    tabs.set('b', [], 120_000);
    expect(tabs.ids(120_000)).toEqual(['inv_1', 'inv_2']);
    expect(tabs.ids(160_000)).toEqual([]);
  });

  it('Of more than 20 ids, those of the tab that spoke last are followed', () => {
    const tabs = new FollowedByTabs();
    const many = Array.from({ length: 25 }, (_, n) => `inv_${n}`);
    tabs.set('a', many, 0);
    tabs.set('b', ['inv_last'], 1);
    expect(tabs.ids(2)).toHaveLength(20);
    expect(tabs.ids(2)).toContain('inv_last');
  });
});
