import { xml } from '@codemirror/lang-xml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  type DecorationSet,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { markedString } from '../text/mark-text.js';
import { UNSEEN_CHARACTER } from '../text/unseen-characters.js';
import { editorTheme } from './editor-theme.js';
import { undoHistory } from './editor-history.js';
import { replaceInState } from './editor-input.js';
import type { TextMark } from './text-marks.js';

interface EditorOptions {
  text: string;
  label: string;
  testId: string;
  hint: string;
  onChange: (text: string) => void;
  /** Keys of the editor, such as `Mod-.`, with what they do. */
  keys: Readonly<Record<string, () => void>>;
}

/** An editor for the text of a model. */
export interface TextEditor {
  /** Replaces the text, unless it is the same. */
  setText: (text: string) => void;
  setMarks: (marks: readonly TextMark[]) => void;
  /** Selects a range of offsets and scrolls to it. */
  select: (start: number, end: number) => void;
  close: () => void;
}

/** ESC, an object in place of a character, and the characters that the text function marks, too. The editor's own list lacks most of them. */
const SPECIAL = new RegExp(String.raw`[\u001B\uFFFC]|${UNSEEN_CHARACTER.source}`, 'u');

const setMarks = StateEffect.define<DecorationSet>();
const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) =>
    transaction.effects.reduce(
      (shown, effect) => (effect.is(setMarks) ? effect.value : shown),
      marks.map(transaction.changes),
    ),
  provide: (field) => EditorView.decorations.from(field),
});

const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--accent)' },
  { tag: tags.attributeName, color: 'var(--tone-waiting)' },
  { tag: [tags.attributeValue, tags.character], color: 'var(--tone-good)' },
  { tag: [tags.comment, tags.processingInstruction], color: 'var(--text-faint)' },
]);

/** Opens an editor in a shadow root: its styles are then sheets of that root, which the policy of the page allows. */
export function openEditor(host: HTMLElement, options: EditorOptions): TextEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const state = EditorState.create({ doc: options.text, extensions: extensionsFor(options) });
  const view = new EditorView({ state, root, parent: root });
  return {
    setText: (text) => {
      if (view.state.doc.toString() !== text)
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    setMarks: (marks) => view.dispatch({ effects: setMarks.of(decorationsOf(marks, view.state.doc.length)) }),
    select: (start, end) => {
      const most = view.state.doc.length;
      const selection = { anchor: Math.min(start, most), head: Math.min(end, most) };
      view.dispatch({ selection, scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

function extensionsFor({ label, testId, hint, onChange, keys }: EditorOptions): Extension {
  const bindings = Object.entries(keys).map(([key, run]) => ({ key, run: () => (run(), true) }));
  return [
    lineNumbers(),
    highlightSpecialChars({ addSpecialChars: SPECIAL }),
    EditorView.lineWrapping,
    placeholder(hint),
    xml({ autoCloseTags: false }),
    syntaxHighlighting(HIGHLIGHT),
    markField,
    undoHistory(),
    replaceInState(),
    keymap.of([...bindings, { key: 'Enter', run: insertLine }]),
    editorTheme,
    EditorView.contentAttributes.of({
      'aria-label': label,
      'data-testid': testId,
      spellcheck: 'false',
      autocorrect: 'off',
      autocapitalize: 'off',
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}

function insertLine(view: EditorView): boolean {
  view.dispatch(view.state.replaceSelection('\n'), { scrollIntoView: true, userEvent: 'input' });
  return true;
}

/** A mark of nothing cannot be drawn; those behind the end of a text that has changed are left out. */
function decorationsOf(marks: readonly TextMark[], length: number): DecorationSet {
  const ranges = marks
    .filter(({ start, end }) => start < end && end <= length)
    .map(({ start, end, line, column, kind, title }) =>
      Decoration.mark({
        class: `cm-mark cm-mark-${kind === 'warning' || kind === 'repair' ? 'warning' : 'error'}`,
        attributes: {
          'data-testid': 'source-mark',
          'data-line': String(line),
          'data-column': String(column),
          'data-kind': kind,
          title: markedString(title),
        },
      }).range(start, end),
    );
  return Decoration.set(ranges, true);
}
