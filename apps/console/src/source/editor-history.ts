import { Transaction, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';

const MOST_STEPS = 200;
/** Changes within this time are undone together, in ms. */
const TOGETHER_MS = 600;
/** The annotation of a change that is itself an undo or redo. */
const ITSELF = 'undo.redo';

/** Undo and redo of whole texts. A text has 64 KiB at most, so that differences are not worth their code. */
export function undoHistory(): Extension {
  const past: string[] = [];
  const future: string[] = [];
  let last = 0;
  const move = (view: EditorView, from: string[], to: string[]) => {
    const text = from.pop();
    if (text === undefined) return true;
    to.push(view.state.doc.toString());
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: ITSELF });
    return true;
  };
  return [
    keymap.of([
      { key: 'Mod-z', run: (view) => move(view, past, future), preventDefault: true },
      { key: 'Mod-y', mac: 'Mod-Shift-z', run: (view) => move(view, future, past), preventDefault: true },
    ]),
    EditorView.updateListener.of(({ docChanged, startState, transactions }) => {
      if (!docChanged || transactions.some((one) => one.annotation(Transaction.userEvent) === ITSELF)) return;
      const now = Date.now();
      if (now - last > TOGETHER_MS || past.length === 0) past.push(startState.doc.toString());
      last = now;
      if (past.length > MOST_STEPS) past.shift();
      future.length = 0;
    }),
  ];
}
