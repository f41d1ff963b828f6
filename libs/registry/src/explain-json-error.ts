import { jsonErrorOffset } from './json-error-offset.js';

/** What people write that is no JSON: what the text goes on with at the mistake, what stands before it, and what is meant. */
const HABITS: readonly { rest: RegExp; before?: RegExp; message: string }[] = [
  { rest: /^(?:\/[/*]|#)/, message: 'JSON has no comments; take this one out' },
  { rest: /^[}\]]/, before: /,\s*$/, message: 'there is a comma too much before this bracket' },
  { rest: /^'/, message: 'texts and names stand in double quotes' },
  {
    rest: /^(?:true|false|none|null|undefined|nan|[-+]?infinity)\b/i,
    message: 'the words of JSON are true, false and null',
  },
  { rest: /^[\p{L}_$][\p{L}\p{N}_$]*\s*:/u, message: 'names stand in double quotes' },
  { rest: /^"/, before: /["\]}\dael]\s*$/, message: 'there is a comma missing before this' },
  { rest: /^[\t\r\n]/, message: 'a text ends on its line; write a line break in it as \\n, a tab as \\t' },
  { rest: /^$/, message: 'it ends too early; a bracket or a quotation mark is missing' },
];

/** Where a text stops being JSON, and why, in plain words where the mistake is a known habit, else in those of `JSON.parse`. */
export function explainJsonError(text: string, said: string): { offset: number; message: string } {
  const offset = startOfWord(text, jsonErrorOffset(text));
  const rest = text.slice(offset, offset + 40);
  const before = text.slice(Math.max(0, offset - 200), offset);
  const habit = HABITS.find((each) => each.rest.test(rest) && (each.before?.test(before) ?? true));
  if (habit) return { offset, message: habit.message };
  const isWhole = said.includes('after JSON at');
  return { offset, message: isWhole ? 'there is more after its end; a file holds one value' : said };
}

/** A wrong word is noticed inside it: `True` at its T, but `nul` and `None` later. */
function startOfWord(text: string, offset: number): number {
  if (/\s/.test(text[offset] ?? '')) return offset;
  const begun = /[\p{L}_$][\p{L}\p{N}_$]*$/u.exec(text.slice(Math.max(0, offset - 20), offset));
  const slash = text[offset - 1] === '/' ? 1 : 0;
  return offset - (begun?.[0].length ?? slash);
}
