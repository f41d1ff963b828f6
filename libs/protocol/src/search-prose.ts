/**
 * Searches prose for block markers. It skips `<think>…</think>` and HTML comments, because their content does not
 * count. The search only goes forward and remembers absent end markers, so that the text is read once.
 */
export class ProseSearch {
  private readonly absent = new Set<string>();

  constructor(private readonly text: string) {}

  /** Returns the offset of the first `marker` from `from` on outside skipped sections, or -1. */
  find(marker: string, from: number): number {
    let at = from;
    let found = this.text.indexOf(marker, at);
    while (found !== -1) {
      const skippedEnd = this.nextSkippedEnd(at, found);
      if (!skippedEnd) return found;
      at = skippedEnd;
      if (found < at) found = this.text.indexOf(marker, at);
    }
    return -1;
  }

  /** Returns the end of the first skipped section that begins in this range, or undefined. */
  private nextSkippedEnd(from: number, to: number): number | undefined {
    for (const match of this.text.slice(from, to).matchAll(/<think\s*>|<!--/gi)) {
      const closing = match[0] === '<!--' ? '-->' : '</think';
      if (this.absent.has(closing)) continue;
      const start = from + match.index + match[0].length;
      const end = closing === '-->' ? this.text.indexOf(closing, start) : this.indexOfThinkEnd(start);
      if (end !== -1) return end + closing.length;
      this.absent.add(closing);
    }
    return undefined;
  }

  private indexOfThinkEnd(from: number): number {
    const pattern = /<\/think\s*>/gi;
    pattern.lastIndex = from;
    return pattern.exec(this.text)?.index ?? -1;
  }
}
