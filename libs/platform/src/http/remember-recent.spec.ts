import { rememberRecent } from './remember-recent.js';

function counted() {
  const asked: string[] = [];
  const find = rememberRecent((text) => {
    asked.push(text);
    return text === 'unknown' ? undefined : text.length;
  });
  return { asked, find };
}

describe('Remembered results', () => {
  it('A result is computed once for each text', () => {
    const { asked, find } = counted();
    expect(['a', 'bb', 'a', 'bb'].map(find)).toEqual([1, 2, 1, 2]);
    expect(asked).toEqual(['a', 'bb']);
  });

  it('A text without a result is computed each time', () => {
    const { asked, find } = counted();
    expect([find('unknown'), find('unknown')]).toEqual([undefined, undefined]);
    expect(asked).toHaveLength(2);
  });

  it('Long texts and many texts stay correct, and do not stay in memory', () => {
    const { asked, find } = counted();
    const long = 'x'.repeat(1_000);
    expect([find(long), find(long)]).toEqual([1_000, 1_000]);
    expect(asked).toHaveLength(2);
    for (let n = 0; n < 1_000; n++) expect(find(`name ${n}`)).toBe(`name ${n}`.length);
    expect(find('name 999')).toBe(8);
    expect(asked).toHaveLength(1_002);
    find('name 0');
    expect(asked).toHaveLength(1_003);
  });
});
