import { matches } from './entity-tags.js';

describe('If-None-Match', () => {
  it.each(['"a"', 'W/"a"', '"b", W/"a"', '"b","a"', ' "x,y" , "a" ', '*', ' * ', 'nonsense "a"'])(
    'The header %s matches the tag "a"',
    (header) => {
      expect(matches(header, '"a"')).toBe(true);
    },
  );

  it.each([undefined, '', 'a', '"b"', '"A"', '"a', 'W/a', '"b, a"', '"*"', '"x"a"y"', '*, "b"'])(
    'The header %s does not match the tag "a"',
    (header) => {
      expect(matches(header, '"a"')).toBe(false);
    },
  );

  it('A long header is read in linear time', () => {
    expect(matches(`${'"'.repeat(50_001)}b`, '"a"')).toBe(false);
    expect(matches('"b",'.repeat(20_000), '"a"')).toBe(false);
  });
});
