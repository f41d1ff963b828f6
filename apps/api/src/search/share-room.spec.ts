import { shareRoom } from './share-room.js';

const ROOM = { most: 20, each: [3, 8] };
const items = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`);
const countsOf = (...counts: number[]) => {
  const found = shareRoom(
    counts.map((count, n) => items(`${n}:`, count)),
    ROOM,
  );
  return counts.map((_, n) => found.filter((item) => item.startsWith(`${n}:`)).length);
};

describe('Room that lists share', () => {
  it('Every list gets some items, and earlier lists get more', () => {
    expect(countsOf(50, 50, 50, 50, 50, 50)).toEqual([5, 3, 3, 3, 3, 3]);
    expect(countsOf(50, 50, 50)).toEqual([8, 8, 4]);
  });

  it('What one list leaves free is for the others', () => {
    expect(countsOf(0, 50, 1)).toEqual([0, 19, 1]);
    expect(countsOf(2, 0, 3)).toEqual([2, 0, 3]);
  });

  it('Each list keeps its order', () => {
    expect(shareRoom([['a', 'b'], ['c']], ROOM)).toEqual(['a', 'b', 'c']);
  });
});
