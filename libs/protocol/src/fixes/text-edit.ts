/** One replacement in a text, by offsets. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** The text after an edit. */
export function applyEdit(text: string, { start, end, text: replacement }: TextEdit): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** The offset of a line and a column, both from 1. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const next = text.indexOf('\n', start);
    if (next === -1) break;
    start = next + 1;
  }
  return Math.min(text.length, start + column - 1);
}
