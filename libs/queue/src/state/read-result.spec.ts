import { readerOfValue, resultAt, valueAtPointer, partOfResult, searchResult } from './read-result.js';

describe('valueAtPointer', () => {
  const value = { 'a/b': [1, { '~': null }], '': 5 };

  it.each([
    ['', value],
    ['/', 5],
    ['/a~1b/0', 1],
    ['/a~1b/1/~0', null],
  ])('The pointer %j leads to its value', (pointer, found) => {
    expect(valueAtPointer(value, pointer)).toEqual(found);
  });

  it.each(['/a~1b/2', '/a~1b/01', '/a~1b/-', '/a~1b/length', '/constructor', '//', 'a~1b', '/a~1b/0/x'])(
    'The pointer %j leads nowhere',
    (pointer) => {
      expect(valueAtPointer(value, pointer)).toBeUndefined();
    },
  );
});

describe('resultAt', () => {
  const [first, second] = [readerOfValue({ a: 1 }), readerOfValue('text')];

  it('A path in a result with one step begins inside the result of that step', async () => {
    expect(await (await resultAt([first], '/a'))?.whole()).toBe(1);
    expect(await resultAt([first], '/0')).toBeUndefined();
    expect(await resultAt([undefined], '')).toBeUndefined();
  });

  it('A path in a result with several steps begins with the number of the step', async () => {
    expect(await resultAt([first, second], '/1')).toBe(second);
    expect(await (await resultAt([first, undefined], '/0/a'))?.whole()).toBe(1);
    expect(await resultAt([first, undefined], '/1')).toBeUndefined();
    expect(await resultAt([first, second], '/2')).toBeUndefined();
    expect(await (await resultAt([first, undefined], ''))?.whole()).toEqual([{ a: 1 }, null]);
  });
});

const TEXT = 'a😀é😀😀';
const reader = readerOfValue(TEXT);
const part = (from: number, limit: number) => partOfResult(reader, from, Math.min(from + limit, reader.total));

describe('A part of a result', () => {
  it.each([
    [0, 2, { text: 'a', offset: 0, nextOffset: 1 }],
    [1, 2, { text: '😀', offset: 1, nextOffset: 3 }],
    [1, 1, { text: '😀', offset: 1, nextOffset: 3 }],
    [2, 1, { text: '😀', offset: 1, nextOffset: 3 }],
    [2, 2, { text: '😀é', offset: 1, nextOffset: 4 }],
    [6, 100, { text: '😀', offset: 6, nextOffset: null }],
    [8, 5, { text: '', offset: 8, nextOffset: null }],
    [99, 5, { text: '', offset: 99, nextOffset: null }],
  ])('A part from offset %d with at most %d characters is cut between characters', async (from, limit, expected) => {
    expect(await part(from, limit)).toEqual(expected);
  });

  it.each([1, 2, 3, 4, 7])('The parts of %d characters, read by nextOffset, form the whole text', async (limit) => {
    let text = '';
    for (let next: number | null = 0; next !== null;) {
      const read = await part(next, limit);
      text += read.text;
      next = read.nextOffset;
    }
    expect(text).toBe(TEXT);
  });

  it.each([2, 3, 4, 7])('The parts of %d characters, read by computed offsets, form the whole text', async (limit) => {
    const parts = [];
    for (let from = 0; from < reader.total; from += limit) parts.push((await part(from, limit)).text);
    expect(parts.join('')).toBe(TEXT);
  });

  it('A part contains half a character if the text has only that half', async () => {
    expect(await partOfResult(readerOfValue('\ud83dx'), 0, 1)).toMatchObject({ text: '\ud83d', nextOffset: 1 });
  });
});

const search = (value: string, wanted: string, from = 0, limit = 10) =>
  searchResult(readerOfValue(value), wanted, { from, limit });

describe('The search in a result', () => {
  it('A search returns each match with the text around it', async () => {
    const text = `${'a '.repeat(100)}Needle\n\tin\nhay ${'b '.repeat(100)}needle`;
    const { matches, next } = await search(text, 'NEEDLE');
    expect(matches.map(({ offset }) => offset)).toEqual([200, text.length - 6]);
    expect(matches[0]!.excerpt).toBe(`…${'a '.repeat(30)}Needle in hay ${'b '.repeat(26).slice(0, 51)}…`);
    expect(matches[1]!.excerpt.endsWith('b needle')).toBe(true);
    expect(next).toBeNull();
  });

  it('A search continues at the position that the last page returned', async () => {
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

  it('A search takes its words literally and finds them across the borders of pieces', async () => {
    expect((await search('a.c abc a.c', 'a.c')).matches.map(({ offset }) => offset)).toEqual([0, 8]);
    for (const special of ['[x]', '(', 'a|b', '\\d', '^$', '{2}', '/', '😀'])
      expect((await search(`- ${special} -`, special)).matches).toHaveLength(1);
    const place = 999_998;
    const text = 'x'.repeat(place) + 'needle' + 'x'.repeat(50);
    expect((await search(text, 'needle')).matches.map(({ offset }) => offset)).toEqual([place]);
    expect((await search(text, 'absent')).matches).toEqual([]);
  });
});
