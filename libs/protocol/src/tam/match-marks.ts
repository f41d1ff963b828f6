import { markAt, type Mark } from './scan-marks.js';

/** For the mark with index i: the index of the mark that closes its value, or -1. */
export interface Matches {
  /**
   * The closing mark of the same level, with nested fields counted. For an escaped value, the next escaped closing
   * mark.
   */
  balanced: Int32Array;
  /** The first closing mark behind it. */
  first: Int32Array;
  /** The last closing mark before the next field at a line start or the next block marker. */
  last: Int32Array;
}

export type ClosingRule = keyof Matches;

/**
 * Computes the possible ends of all values. The tables are filled from the right, so that trying all three rules for
 * each of many blocks stays linear.
 */
export function matchMarks(marks: readonly Mark[]): Matches {
  const table = () => new Int32Array(marks.length).fill(-1);
  const matches = { balanced: table(), first: table(), last: table() };
  const seen = { close: -1, escapeClose: -1, lastClose: -1 };
  // up[i]: the closing mark of the level that contains mark i, reading from i on.
  const up = new Int32Array(marks.length + 1).fill(-1);
  for (let i = marks.length - 1; i >= 0; i--) {
    const { kind, key } = markAt(marks, i);
    const level = up[i + 1] ?? -1;
    const escaped = kind === 'escapeOpen';
    matches.first[i] = escaped ? seen.escapeClose : seen.close;
    matches.last[i] = escaped ? seen.escapeClose : seen.lastClose;
    matches.balanced[i] = escaped ? seen.escapeClose : level;
    if (kind === 'close') up[i] = i;
    else if (kind === 'open' && key) up[i] = level === -1 ? -1 : (up[level + 1] ?? -1);
    else if (escaped && key && seen.escapeClose !== -1) up[i] = up[seen.escapeClose + 1] ?? -1;
    else up[i] = level;
    if (kind === 'close') seen.close = i;
    if (kind === 'close' && seen.lastClose === -1) seen.lastClose = i;
    if (kind === 'escapeClose') seen.escapeClose = i;
    if (key?.lineStart || kind === 'blockStart' || kind === 'blockEnd') seen.lastClose = -1;
  }
  return matches;
}
