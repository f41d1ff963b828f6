/** East Asian wide characters and emoji take two cells of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const NOTHING = /\p{M}|\p{Cf}/u;

/** The number of terminal cells that a text takes. */
export function widthOf(text: string): number {
  return Array.from(text, cellsOf).reduce((sum, cells) => sum + cells, 0);
}

/** Fits a text into one line of at most `width` cells. A text that was cut ends with `…`. */
export function fit(text: string, width: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (widthOf(line) <= width) return line;
  let cells = 1;
  let kept = '';
  for (const char of line) {
    cells += cellsOf(char);
    if (cells > width) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/** Breaks a text at blanks into lines of at most `width` cells. A longer word gets its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Fills a text with blanks up to a width. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function cellsOf(char: string): number {
  if (NOTHING.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
