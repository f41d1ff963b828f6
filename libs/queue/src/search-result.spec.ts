import { readerOfValue } from './read-result.js';
import { searchResult } from './search-result.js';

const search = (value: string, wanted: string, from = 0, limit = 10) =>
  searchResult(readerOfValue(value), wanted, { from, limit });

describe('a search in a result', () => {
  it('gives each place with what stands around it', async () => {
    const text = `${'a '.repeat(100)}Needle\n\tin\nhay ${'b '.repeat(100)}needle`;
    const { matches, next } = await search(text, 'NEEDLE');
    expect(matches.map(({ offset }) => offset)).toEqual([200, text.length - 6]);
    expect(matches[0]!.excerpt).toBe(`…${'a '.repeat(30)}Needle in hay ${'b '.repeat(26).slice(0, 51)}…`);
    expect(matches[1]!.excerpt.endsWith('b needle')).toBe(true);
    expect(next).toBeNull();
  });

  it('goes on where it says', async () => {
    const text = 'xx.'.repeat(25);
    const offsets: number[] = [];
    let from: number | null = 0;
    while (from !== null) {
      const { matches, next } = await search(text, 'xx', from, 10);
      expect(matches.length).toBeLessThanOrEqual(10);
      offsets.push(...matches.map(({ offset }) => offset));
      from = next;
    }
    expect(offsets).toEqual(Array.from({ length: 25 }, (_, n) => n * 3));
  });

  it('takes the words as they are, and finds them across what is read at a time', async () => {
    expect((await search('a.c abc a.c', 'a.c')).matches.map(({ offset }) => offset)).toEqual([0, 8]);
    for (const special of ['[x]', '(', 'a|b', '\\d', '^$', '{2}', '/', '😀'])
      expect((await search(`- ${special} -`, special)).matches).toHaveLength(1);
    const place = 999_998;
    const text = 'x'.repeat(place) + 'needle' + 'x'.repeat(50);
    expect((await search(text, 'needle')).matches.map(({ offset }) => offset)).toEqual([place]);
    expect((await search(text, 'absent')).matches).toEqual([]);
  });
});
