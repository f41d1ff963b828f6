import { DIALECT_NAMES, DIALECTS } from '../tam/dialects.js';
import { escapeControls } from './one-line.js';

const marks = [...new Set(DIALECT_NAMES.flatMap((name) => [DIALECTS[name].blockStart, DIALECTS[name].blockEnd]))];
/** The begin of a marker of a block, of a thought, of CDATA or of a comment. */
const MARKER = new RegExp(
  String.raw`<(?=/?(?:ACTION|OBSERVATION|think)\b|!\[CDATA\[|!--)|${marks.map((mark) => mark.replaceAll(/[|[\]]/g, String.raw`\$&`)).join('|')}`,
  'gi',
);

/**
 * A text of a tool as one line of a prompt. Descriptions may come from another program, so control characters and the
 * markers of blocks are escaped: no description can write a call or a line of its own into a prompt.
 */
export function shownText(text: string): string {
  const line = escapeControls(text.replaceAll(/\s+/g, ' ').trim());
  return line.replaceAll(MARKER, (marker) => `&lt;${marker.slice(1)}`);
}
