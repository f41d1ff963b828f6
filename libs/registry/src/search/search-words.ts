/** Letters of Chinese, Japanese and Korean. Their words follow each other without blanks, or have suffixes. */
const CJK = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]+/gu;
const HAS_CJK = new RegExp(CJK.source, 'u');

/** The segmenter copies its whole input for each word, so it gets short pieces. */
const PIECE = 64;

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/**
 * The words of a searched text. A Chinese, Japanese or Korean letter counts alone, in a pair with the next one, and in
 * its word.
 */
export function wordsOfText(text: string): string[] {
  return wordsIn(text, (letters, words) => [...letters, ...pairsOf(letters), ...words]);
}

/** The words of a query. A Chinese, Japanese or Korean letter counts alone only if it has no neighbour. */
export function wordsOfQuery(query: string): string[] {
  return wordsIn(query, (letters, words) => (letters.length === 1 ? letters : [...pairsOf(letters), ...words]));
}

type TakeRun = (letters: string[], words: string[]) => string[];

/** Half-width and full-width forms count as the normal ones. */
function wordsIn(text: string, takeRun: TakeRun): string[] {
  return text
    .normalize('NFKC')
    .split(/[^\p{L}\p{N}_-]+/u)
    .flatMap((word) => (HAS_CJK.test(word) ? mixedWords(word, takeRun) : spacedWords(word)));
}

/** Splits `kb:getPlayerInfo` into kb, get, player, info, and getplayerinfo for names that are written as one word. */
function spacedWords(word: string): string[] {
  const parts = word
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean);
  return parts.length > 1 ? [...parts, parts.join('')] : parts;
}

function mixedWords(word: string, takeRun: TakeRun): string[] {
  const runs = (word.match(CJK) ?? []).flatMap((run) => takeRun(Array.from(run), longWords(run)));
  return [...word.split(CJK).flatMap(spacedWords), ...runs];
}

/** Words with at least three letters. Shorter ones are covered by letters and pairs. */
function longWords(run: string): string[] {
  const letters = Array.from(run);
  const pieces = Array.from({ length: Math.ceil(letters.length / PIECE) }, (_piece, index) =>
    letters.slice(index * PIECE, (index + 1) * PIECE).join(''),
  );
  return pieces
    .flatMap((piece) => [...segmenter.segment(piece)].map(({ segment }) => segment))
    .filter((word) => Array.from(word).length > 2);
}

function pairsOf(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
