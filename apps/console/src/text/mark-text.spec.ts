import { cutText, fewPieces, markedString, markText, withoutAnsi } from './mark-text.js';

const ESC = '\u001B';

describe('The text function', () => {
  it('A plain text stays as it is, with tabs and lines', () => {
    expect(markText('a\tb\nc <b>&amp;</b>')).toEqual(['a\tb\nc <b>&amp;</b>']);
  });

  it.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['a title of the terminal', `${ESC}]0;title\u0007text`, 'text'],
    ['a hyperlink', `${ESC}]8;;https://evil.example${ESC}\\link${ESC}]8;;${ESC}\\`, 'link'],
    ['a C1 introducer', '\u009B2Jtext', 'text'],
    ['an unfinished sequence', `text${ESC}[`, 'text'],
    ['a single ESC', `a${ESC}`, 'a'],
  ])('ANSI sequences are removed: %s', (_, text, shown) => {
    expect(withoutAnsi(text)).toBe(shown);
  });

  it.each(['\u202A', '\u202E', '\u2066', '\u2069', '\u0000', '\u0008', '\u0085', '\u200B', '\u2060', '\uFEFF', '\r'])(
    'The character %j becomes a visible mark',
    (character) => {
      const pieces = markText(`a${character}b`);
      expect(pieces).toHaveLength(3);
      expect(pieces[1]).toMatchObject({ mark: expect.stringMatching(/^⟨.+⟩$/) as string });
    },
  );

  it('A tag character of an invisible language tag becomes a mark', () => {
    expect(markedString('a\u{E0041}b')).toBe('a⟨U+E0041⟩b');
  });

  it('A joiner stays inside an emoji, and becomes a mark anywhere else', () => {
    expect(markText('👩\u200D💻')).toEqual(['👩\u200D💻']);
    expect(markedString('ad\u200Dmin')).toBe('ad⟨U+200D⟩min');
  });

  it('Half of a surrogate pair becomes a replacement character', () => {
    expect(markText('a\uD83Db')).toEqual(['a\uFFFDb']);
    expect(markText('\uDE00')).toEqual(['\uFFFD']);
    expect(markText('😀')).toEqual(['😀']);
  });

  it('A cut never leaves half of a surrogate pair', () => {
    expect(cutText('ab😀', 3)).toBe('ab');
    expect(cutText('ab', 3)).toBe('ab');
  });

  it('A text of many marks has few pieces, and shows all of its characters', () => {
    const pieces = fewPieces(markText('a\u0000'.repeat(9)), 3);
    expect(pieces).toHaveLength(8);
    expect(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.mark)).join('')).toBe('a⟨NUL⟩'.repeat(9));
    expect(fewPieces(markText('a\u0000b'), 3)).toEqual(markText('a\u0000b'));
  });

  it('A megabyte of introducers is read in linear time', () => {
    expect(withoutAnsi(`${ESC}]`.repeat(500_000))).toBe('');
  });
});
