import { isBlank } from './match-markers.js';

/**
 * Holds the text that `parse` cuts from the end of `responseText` if a block follows: blanks, and the line of a code
 * fence with all blanks around it. Every other character makes the held text certain.
 *
 * States of a line: `start` has only spaces and tabs, `ticks` one or two characters of a fence, `fence` a whole one,
 * `other` anything else. Whether a fence opens or closes does not matter here: both are held until the text goes on.
 */
export class HeldText {
  private line: 'start' | 'ticks' | 'fence' | 'other' = 'start';
  private tick = '';
  private ticks = 0;
  /** The fence line with the blanks before it. */
  private fence = '';
  /** The blanks at the end. */
  private blanks = '';

  /** The number of held characters. */
  get length(): number {
    return this.fence.length + this.blanks.length;
  }

  /**
   * Reads a character and returns the text that it makes certain. A character of a thought counts for its line, but it
   * is not shown and thus never held or returned.
   */
  read(char: string, isShown: boolean): string {
    const shown = isShown ? char : '';
    if (isBlank(char)) return this.readBlank(char, shown);
    if (this.line === 'start' && (char === '`' || char === '~')) return this.beginTicks(char, shown);
    if (this.line === 'ticks' && char === this.tick) {
      this.ticks++;
      if (this.ticks === 3) this.line = 'fence';
      return this.hold(shown);
    }
    if (this.line === 'fence') return this.hold(shown);
    this.line = 'other';
    return this.release() + shown;
  }

  /** Whether the line is a code fence. Its text is held. */
  get isInFence(): boolean {
    return this.line === 'fence';
  }

  /**
   * Reads plain text at once, with the same result as character by character. Returns the text that it makes certain.
   * @param run text within a line that begins with neither a blank nor a fence, and does not end with a blank; not in
   *   a fence
   */
  readRun(run: string): string {
    this.line = 'other';
    return this.release() + run;
  }

  /** Forgets the held text and returns it. */
  release(): string {
    const held = this.fence + this.blanks;
    this.fence = this.blanks = '';
    return held;
  }

  private readBlank(char: string, shown: string): string {
    const certain = this.line === 'ticks' ? this.release() : '';
    if (char === '\n') this.line = 'start';
    else if (this.line === 'ticks' || (this.line === 'start' && char !== ' ' && char !== '\t')) this.line = 'other';
    this.blanks += shown;
    return certain;
  }

  /** An earlier fence line is certain, the blanks behind it are not. */
  private beginTicks(char: string, shown: string): string {
    const certain = this.fence;
    this.fence = '';
    this.line = 'ticks';
    this.tick = char;
    this.ticks = 1;
    return certain + this.hold(shown);
  }

  private hold(shown: string): string {
    this.fence += this.blanks + shown;
    this.blanks = '';
    return '';
  }
}
