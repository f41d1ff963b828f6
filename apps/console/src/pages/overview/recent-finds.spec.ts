import { RecentFinds } from './recent-finds.js';

interface Item {
  id: string;
  isCut: boolean;
}

/** A list of the API with pages of two items, which counts the reads. */
class List {
  reads = 0;
  constructor(readonly items: Item[]) {}

  readonly read = (cursor = '0') => {
    this.reads += 1;
    const from = Number(cursor);
    const items = this.items.slice(from, from + 2);
    return Promise.resolve({ items, nextCursor: from + 2 < this.items.length ? String(from + 2) : null });
  };
}

const plain = (id: number): Item => ({ id: `p${id}`, isCut: false });
const cut = (id: number): Item => ({ id: `c${id}`, isCut: true });
const finder = () =>
  new RecentFinds<Item, string>({ keyOf: ({ id }) => id, pick: ({ id, isCut }) => (isCut ? id : undefined) });

describe('Finds among the newest items of a list', () => {
  it('The first look reads five pages at most', async () => {
    const list = new List([...Array.from({ length: 9 }, (_, n) => plain(n)), cut(1), cut(2)]);
    expect(await finder().look(list.read)).toEqual({ items: ['c1'], looked: 10 });
    expect(list.reads).toBe(5);
  });

  it('A later look reads the newest page, and newer items do not push finds out of sight', async () => {
    const list = new List([plain(1), cut(1)]);
    const finds = finder();
    expect(await finds.look(list.read)).toEqual({ items: ['c1'], looked: 2 });
    list.items.unshift(cut(2), plain(2), plain(3));
    expect(await finds.look(list.read)).toEqual({ items: ['c2', 'c1'], looked: 4 });
    expect(await finds.look(list.read)).toEqual({ items: ['c2', 'c1'], looked: 4 });
    expect(list.reads).toBe(3);
  });

  it('A look that fails is no first look', async () => {
    const list = new List([plain(1), plain(2), cut(1)]);
    const finds = finder();
    const fails = (cursor?: string) => (cursor === undefined ? list.read() : Promise.reject(new Error('away')));
    await expect(finds.look(fails)).rejects.toThrow('away');
    expect(await finds.look(list.read)).toEqual({ items: ['c1'], looked: 3 });
  });

  it('A server without the list has nothing to find', async () => {
    expect(await finder().look(() => Promise.resolve(undefined))).toEqual({ items: [], looked: 0 });
  });
});
