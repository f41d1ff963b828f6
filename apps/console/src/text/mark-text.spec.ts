import { cutText, fewPieces, markedString, markText, withoutAnsi } from './mark-text.js';
import { UNSEEN_CHARACTER } from './unseen-characters.js';

/** The flag of Wales: a black flag, five tags and an end. */
const WALES = '🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}';
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

  it.each([
    ['variation selectors', ['\uFE00', '\uFE0E', '\uFE0F', '\u{E0100}', '\u{E01EF}']],
    ['a grapheme joiner', ['\u034F']],
    ['controls of shorthand and of music', ['\u{1BCA0}', '\u{1BCA3}', '\u{1D173}', '\u{1D17A}']],
    ['tags', ['\u{E0000}', '\u{E0020}', '\u{E007F}', '\u{E0FFF}']],
    ['fillers', ['\u115F', '\u1160', '\u3164', '\uFFA0']],
    ['old controls of direction', ['\u206A', '\u206F']],
  ])('Invisible characters become marks: %s', (_, characters) => {
    for (const character of characters) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      expect(markedString(`a${character}b`)).toBe(`a⟨U+${code}⟩b`);
      // The editor marks what this expression finds.
      expect(UNSEEN_CHARACTER.exec(`a${character}b`)?.[0]).toBe(character);
    }
  });

  it.each([
    '☎\uFE0F',
    '1\uFE0F\u20E3',
    '#\uFE0F',
    '*\uFE0F',
    '❤\uFE0F\u200D🔥',
    '👩🏽\u200D💻',
    WALES,
    `${WALES}${WALES}`,
  ])('The emoji %s has no mark', (emoji) => {
    expect(markText(`a${emoji}b`)).toEqual([`a${emoji}b`]);
    expect(UNSEEN_CHARACTER.test(emoji)).toBe(false);
  });

  it('A text that hides in selectors or in tags behind an emoji is shown', () => {
    expect(markedString('😀\uFE0F\uFE0F')).toBe('😀\uFE0F⟨U+FE0F⟩');
    expect(markedString('😀\u{E0100}')).toBe('😀⟨U+E0100⟩');
    expect(markedString('🏴\u{E0068}\u{E0069}\u{E007F}')).toBe('🏴⟨U+E0068⟩⟨U+E0069⟩⟨U+E007F⟩');
    expect(markedString(WALES.slice(0, -2))).toBe('🏴⟨U+E0067⟩⟨U+E0062⟩⟨U+E0077⟩⟨U+E006C⟩⟨U+E0073⟩');
    expect(markedString(`${WALES}\u{E0061}`)).toBe(`${WALES}⟨U+E0061⟩`);
    expect(markedString('a\uFE0F\u200D👩')).toBe('a⟨U+FE0F⟩⟨U+200D⟩👩');
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

  it('A megabyte of tags and selectors is read in linear time', () => {
    expect(markText('🏴\u{E0067}\uFE0F'.repeat(200_000))).toHaveLength(600_000);
  });
});
