import type { TextEdit } from './text-edit.js';

/** How far behind an error its word may stand, in characters. */
const NEAR = 300;

/**
 * Edits that write `right` in place of `wrong` at an error. An element is replaced as a whole, so that its two tags change together.
 * @param at the offset of the error
 */
export function* renamesAt(text: string, at: number, wrong: string, right: string): Generator<TextEdit> {
  if (text.startsWith(`<${wrong}`, at)) yield* renamedElements(text, at, wrong, right);
  yield* replacedWords(text, at, wrong, right);
}

/** Each end tag of the name can be that of the element. The nearest comes first. */
function* renamedElements(text: string, at: number, wrong: string, right: string): Generator<TextEdit> {
  const behind = at + 1 + wrong.length;
  const tag = /\/?>/.exec(text.slice(behind, behind + NEAR));
  if (tag?.[0] === '/>') yield { start: at + 1, end: behind, text: right };
  const closer = `</${wrong}`;
  for (let close = text.indexOf(closer, behind); close !== -1; close = text.indexOf(closer, close + 1)) {
    const end = text.indexOf('>', close) + 1;
    if (end === 0) return;
    const inner = text.slice(behind, close);
    yield { start: at, end, text: `<${right}${inner}</${right}${text.slice(close + closer.length, end)}` };
  }
}

/** The word may stand behind a tag or a key. */
function* replacedWords(text: string, at: number, wrong: string, right: string): Generator<TextEdit> {
  if (wrong === '') return;
  const limit = at + NEAR + wrong.length;
  for (let start = text.indexOf(wrong, at); start !== -1 && start < limit; start = text.indexOf(wrong, start + 1))
    yield { start, end: start + wrong.length, text: right };
}
