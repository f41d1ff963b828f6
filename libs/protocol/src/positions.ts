/** A position in a text, 1-based. Columns count UTF-16 code units, as in editor protocols. */
export interface TextPosition {
  line: number;
  column: number;
}

/** Returns a function from offsets to positions. It finds the line starts once, then each lookup is a binary search. */
export function positionsIn(text: string): (offset: number) => TextPosition {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Lines end with `\n`. The `\r` of `\r\n` is the last column of its line. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
