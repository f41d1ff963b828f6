import { HeldText } from './held-text.js';
import {
  COMMENT_MARKERS,
  isBlank,
  MarkerMatcher,
  PROSE_MARKERS,
  THOUGHT_MARKERS,
  type Marker,
} from './match-markers.js';
import { withoutThoughts } from './without-thoughts.js';

/** The largest number of characters that a filter holds back. A longer doubt lasts to the end of the text. */
const MAX_HELD = 4_096;

/**
 * Text within one line that begins with neither a blank nor a code fence, ends with no blank, and contains no `<`, with
 * which every marker of prose begins. Almost all text is of this kind, and a match costs far less than its characters
 * one by one.
 */
const PLAIN_RUN = /[^\s<`~](?:[^<\n]*[^\s<])?/y;

const MARKERS: Readonly<Record<'prose' | 'comment' | 'thought', readonly Marker[]>> = {
  prose: PROSE_MARKERS,
  comment: COMMENT_MARKERS,
  thought: THOUGHT_MARKERS,
};

/**
 * Passes the text that a person may read while a model writes: `responseText` of `parse` without its thoughts. Pieces
 * may be cut anywhere. The filter never passes a character that `parse` could still give to a block, whatever follows
 * and whatever the tools are. Linear time; its memory is bounded by `MAX_HELD` and the current piece.
 *
 * States: `prose` passes text. `comment` passes text as well, but knows only at `-->` that a `<think>` in it is no
 * thought. `thought` drops text until `</think>`. `stopped` passes nothing more: a block may have begun, the first
 * character is a blank (`parse` cuts it only before a block), or `MAX_HELD` is exceeded. `end` then gives the rest.
 */
export class ReadableTextFilter {
  private state: 'prose' | 'comment' | 'thought' | 'stopped' = 'prose';
  private matcher = new MarkerMatcher(MARKERS.prose);
  /** The possible beginning of a marker. Empty in a thought, which drops it anyway. */
  private begun = '';
  private held = new HeldText();
  /** Held text that becomes certain when the thought is closed. Until then, a block in the thought may count. */
  private delayed = '';
  /** The first half of a surrogate pair, which waits for the second one. */
  private half = '';
  /** The number of hyphens in a row in a comment. */
  private hyphens = 0;
  private received = 0;
  private passed = 0;

  /** The number of characters that the filter holds back, at most `MAX_HELD` + 1 (a half of a pair). */
  get heldLength(): number {
    return this.begun.length + this.held.length + this.delayed.length + this.half.length;
  }

  /** Takes the next piece of the text and returns the text that a person may read now; often empty. */
  push(piece: string): string {
    if (this.received === 0 && piece !== '' && isBlank(piece.charAt(0))) this.stop();
    this.received += piece.length;
    let certain = '';
    for (let at = 0; at < piece.length && this.state !== 'stopped';) {
      const run = this.plainRun(piece, at);
      certain += run === '' ? this.read(piece.charAt(at)) : this.held.readRun(run);
      at += Math.max(run.length, 1);
      if (this.begun.length + this.held.length > MAX_HELD) this.stop();
    }
    return this.pass(certain);
  }

  /**
   * Returns the rest of the readable text. The caller keeps the whole text for `parse` anyway, so the filter stores none.
   * @param text all pieces together
   * @param responseText what `parse` gives for `text`
   * @throws Error if `text` has another length than the pieces
   */
  end(text: string, responseText: string): string {
    if (text.length !== this.received) {
      const lengths = `${this.received} characters were pushed, but the text has ${text.length}`;
      throw new Error(`The text is not the one that was pushed: ${lengths}; pass all pieces joined`);
    }
    this.stop();
    const rest = withoutThoughts(text, responseText).slice(this.passed);
    this.half = '';
    this.passed += rest.length;
    return rest;
  }

  /** The plain text at this place that can be read at once, because nothing in it begins a marker or is held. */
  private plainRun(piece: string, at: number): string {
    if (this.state !== 'prose' || this.begun !== '' || this.held.isInFence) return '';
    PLAIN_RUN.lastIndex = at;
    return PLAIN_RUN.exec(piece)?.[0] ?? '';
  }

  private read(char: string): string {
    if (this.state === 'thought') return this.readThought(char);
    const found = this.matcher.next(char);
    if (found === 'none' && this.begun === '') return this.readText(char);
    this.begun += char;
    if (found === 'partial') return '';
    const read = this.begun;
    this.begun = '';
    if (found === 'none') return this.readText(read.charAt(0)) + this.readAll(read.slice(1));
    if (found === 'comment') {
      this.enter('comment');
      return this.hold(read, true);
    }
    if (found === 'block' || this.state === 'comment') {
      this.stop();
      return '';
    }
    this.enter('thought');
    this.delayed = this.hold(read, false);
    return '';
  }

  /** Reads characters that did not begin a marker after all; a later one of them may. */
  private readAll(chars: string): string {
    let certain = '';
    for (let at = 0; at < chars.length && this.state !== 'stopped'; at++) certain += this.read(chars.charAt(at));
    return certain;
  }

  /** Reads a character that belongs to no marker. */
  private readText(char: string): string {
    if (this.state === 'comment') {
      if (char === '>' && this.hyphens >= 2) this.enter('prose');
      this.hyphens = char === '-' ? this.hyphens + 1 : 0;
    }
    return this.held.read(char, true);
  }

  private readThought(char: string): string {
    let found = this.matcher.next(char);
    // The character that refutes one marker may begin the next.
    if (found === 'none') found = this.matcher.next(char);
    this.delayed += this.held.read(char, false);
    if (found !== 'thoughtEnd') return '';
    const certain = this.delayed;
    this.enter('prose');
    return certain;
  }

  private hold(chars: string, isShown: boolean): string {
    let certain = '';
    for (let at = 0; at < chars.length; at++) certain += this.held.read(chars.charAt(at), isShown);
    return certain;
  }

  private enter(state: 'prose' | 'comment' | 'thought'): void {
    this.state = state;
    this.delayed = '';
    this.hyphens = 0;
    this.matcher = new MarkerMatcher(MARKERS[state]);
  }

  private stop(): void {
    this.state = 'stopped';
    this.begun = '';
    this.delayed = '';
    this.held = new HeldText();
  }

  /** Passes whole characters: half of a surrogate pair is not text that can be stored or sent. */
  private pass(certain: string): string {
    const text = this.half + certain;
    const last = text.charCodeAt(text.length - 1);
    const end = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    this.half = text.slice(end);
    this.passed += end;
    return text.slice(0, end);
  }
}
