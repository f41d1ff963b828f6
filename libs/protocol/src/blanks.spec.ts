import { isBlank, skipBlanks, skipBlanksBack } from './blanks.js';

describe('Blanks', () => {
  it('A code unit is a blank exactly if the regular expression \\s matches it', () => {
    const different: number[] = [];
    for (let code = 0; code <= 0xffff; code++)
      if (isBlank(code) !== /\s/.test(String.fromCharCode(code))) different.push(code);
    expect(different).toEqual([]);
  });

  it('Blanks are skipped in both directions, no further than the other end', () => {
    const text = 'a \t\u3000b';
    expect([skipBlanks(text, 1, 5), skipBlanks(text, 1, 3), skipBlanksBack(text, 0, 4)]).toEqual([4, 3, 1]);
    expect([skipBlanksBack(text, 2, 4), skipBlanks(text, 4, 5), skipBlanksBack(text, 0, 5)]).toEqual([2, 4, 5]);
  });
});
