import { pageOf } from './page-of.js';
import { ProblemError } from './problem-error.js';

const letters = 'abcdefg'.split('');
const idOf = (letter: string) => letter;
const page = (list: string[], limit?: string, cursor?: string | null) =>
  pageOf(list, idOf, { ...(limit !== undefined && { limit }), ...(cursor && { cursor }) });

describe('Pages of a list', () => {
  it('A page without limit has the whole list', () => {
    expect(page(letters)).toEqual({ items: letters, nextCursor: null });
    expect(page([])).toEqual({ items: [], nextCursor: null });
  });

  it('All pages together are the whole list', () => {
    const read: string[] = [];
    let cursor: string | null = null;
    do {
      const next = page(letters, '3', cursor);
      read.push(...next.items);
      cursor = next.nextCursor;
    } while (cursor !== null);
    expect(read).toEqual(letters);
    expect(page(letters, '7').nextCursor).toBeNull();
  });

  it('The next page is right after the list changed before the cursor', () => {
    const { nextCursor } = page(letters, '3');
    expect(page('AAabcdefg'.split(''), '3', nextCursor).items).toEqual(['d', 'e', 'f']);
    expect(page('abdefg'.split(''), '3', nextCursor).items).toEqual(['d', 'e', 'f']);
  });

  it.each([
    ['0', undefined, /limit must be from 1 to 1000, not 0/],
    ['1001', undefined, /limit must be/],
    ['ten', undefined, /limit must be a whole number/],
    ['3', 'nonsense', /cursor must be a nextCursor/],
  ])('Limit %s with cursor %s is refused', (limit, cursor, message) => {
    expect(() => page(letters, limit, cursor)).toThrow(ProblemError);
    expect(() => page(letters, limit, cursor)).toThrow(message);
  });
});
