import { isBlank as isBlankCode } from '../blanks.js';
import { DIALECT_NAMES, DIALECTS } from '../tam/dialects.js';

/** The kind of a marker: `block` begins a block of any format. */
type MarkerKind = 'block' | 'thought' | 'thoughtEnd' | 'comment';

/** The letters of a marker in both cases, and what follows them. */
export interface Marker {
  kind: MarkerKind;
  lower: string;
  upper: string;
  /** `>`: any blanks, then `>`. `blank`: one blank or `>`, as behind a tag's name. */
  ending?: '>' | 'blank';
}

const anyCase = (kind: MarkerKind, name: string, ending: '>' | 'blank'): Marker => ({
  kind,
  lower: name,
  upper: name.toUpperCase(),
  ending,
});
const exact = (kind: MarkerKind, text: string): Marker => ({ kind, lower: text, upper: text });

/** The markers that count inside an HTML comment, because the comment may turn out not to be closed. */
export const COMMENT_MARKERS: readonly Marker[] = [
  anyCase('block', '<action', 'blank'),
  ...[...new Set(DIALECT_NAMES.map((name) => DIALECTS[name].blockStart))].map((start) => exact('block', start)),
  anyCase('thought', '<think', '>'),
];
/** The markers that count in prose. */
export const PROSE_MARKERS: readonly Marker[] = [...COMMENT_MARKERS, exact('comment', '<!--')];
/** The marker that counts in a thought. */
export const THOUGHT_MARKERS: readonly Marker[] = [anyCase('thoughtEnd', '</think', '>')];

/** Whether a character is a blank for `trim` and for `\s`. */
export function isBlank(char: string): boolean {
  return isBlankCode(char.charCodeAt(0));
}

/** The first character of every marker. Almost no character of a text is one. */
const FIRST = '<';

/** Recognizes markers in characters that arrive one by one. Constant time and memory for each character. */
export class MarkerMatcher {
  private alive: readonly Marker[];
  private length = 0;

  constructor(private readonly markers: readonly Marker[]) {
    this.alive = markers;
  }

  /**
   * Returns the kind of the marker that ends with this character, or `partial` while the characters since the first may
   * be a marker. After `none` or a kind, the next character is again the first one.
   */
  next(char: string): MarkerKind | 'partial' | 'none' {
    if (this.length === 0 && char !== FIRST) return 'none';
    const alive: Marker[] = [];
    for (const marker of this.alive) {
      const match = matchAt(marker, this.length, char);
      if (match === 'whole') {
        this.reset();
        return marker.kind;
      }
      if (match === 'part') alive.push(marker);
    }
    if (alive.length === 0) {
      this.reset();
      return 'none';
    }
    this.alive = alive;
    this.length++;
    return 'partial';
  }

  private reset(): void {
    this.alive = this.markers;
    this.length = 0;
  }
}

function matchAt({ lower, upper, ending }: Marker, at: number, char: string): 'whole' | 'part' | 'none' {
  if (at < lower.length) {
    if (char !== lower[at] && char !== upper[at]) return 'none';
    return at === lower.length - 1 && !ending ? 'whole' : 'part';
  }
  if (char === '>') return 'whole';
  if (!isBlank(char)) return 'none';
  return ending === 'blank' ? 'whole' : 'part';
}
