import { readerOfValue } from './read-result.js';
import { partOfResult } from './part-of-result.js';

const TEXT = 'a😀é😀😀';
const reader = readerOfValue(TEXT);
const part = (from: number, limit: number) => partOfResult(reader, from, Math.min(from + limit, reader.total));

describe('a part of a result', () => {
  it.each([
    [0, 2, { text: 'a', offset: 0, nextOffset: 1 }],
    [1, 2, { text: '😀', offset: 1, nextOffset: 3 }],
    [1, 1, { text: '😀', offset: 1, nextOffset: 3 }],
    [2, 1, { text: '😀', offset: 1, nextOffset: 3 }],
    [2, 2, { text: '😀é', offset: 1, nextOffset: 4 }],
    [6, 100, { text: '😀', offset: 6, nextOffset: null }],
    [8, 5, { text: '', offset: 8, nextOffset: null }],
    [99, 5, { text: '', offset: 99, nextOffset: null }],
  ])('from %d, %d at the most, is cut between characters', async (from, limit, expected) => {
    expect(await part(from, limit)).toEqual(expected);
  });

  it.each([1, 2, 3, 4, 7])('of %d at a time read on to the end are the whole', async (limit) => {
    let text = '';
    for (let next: number | null = 0; next !== null;) {
      const read = await part(next, limit);
      text += read.text;
      next = read.nextOffset;
    }
    expect(text).toBe(TEXT);
  });

  it.each([2, 3, 4, 7])('of %d at a time by offsets that the reader reckons are the whole', async (limit) => {
    const parts = [];
    for (let from = 0; from < reader.total; from += limit) parts.push((await part(from, limit)).text);
    expect(parts.join('')).toBe(TEXT);
  });

  it('has half a character where the text has no more', async () => {
    expect(await partOfResult(readerOfValue('\ud83dx'), 0, 1)).toMatchObject({ text: '\ud83d', nextOffset: 1 });
  });
});
