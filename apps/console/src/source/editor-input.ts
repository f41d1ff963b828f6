import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** The parts of a text that a key deletes, by the middle of the name of the input event: those of `Selection.modify`. */
const UNITS = new Map([
  ['Content', 'character'],
  ['Word', 'word'],
  ['SoftLine', 'lineboundary'],
  ['HardLine', 'paragraphboundary'],
]);

/**
 * Makes each deletion, and text that takes the place of a selection, a change of the editor's state. Chromium itself would keep the look of the
 * deleted text in `style` attributes, which the policy of the page forbids.
 */
export function replaceInState(): Extension {
  return [
    EditorView.domEventHandlers({ beforeinput: onInput }),
    // The text of an input method comes later: only what it replaces goes away here.
    EditorView.domEventObservers({ compositionstart: (_, view) => void replaceSelection(view, '') }),
  ];
}

/** @returns whether the change is made, so that the browser does nothing */
function onInput({ inputType, data, isComposing }: InputEvent, view: EditorView): boolean {
  if (isComposing) return false;
  if (inputType === 'insertText' && data !== null) return replaceSelection(view, data);
  const [, unit = '', direction] = /^delete(\w+)(Backward|Forward)$/.exec(inputType) ?? [];
  const selection = selectionOf(view);
  if (direction === undefined || !selection) return false;
  if (selection.isCollapsed) selection.modify('extend', direction.toLowerCase(), UNITS.get(unit));
  return replaceSelection(view, '');
}

/** Replaces the selection of the page: the state may not know it yet. @returns false if nothing is selected */
function replaceSelection(view: EditorView, insert: string): boolean {
  const { anchorNode, anchorOffset = 0, focusNode, focusOffset = 0, isCollapsed } = selectionOf(view) ?? {};
  if (!anchorNode || !focusNode || isCollapsed) return false;
  const [anchor, head] = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)];
  const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)];
  const text = view.state.toText(insert);
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + text.length },
    scrollIntoView: true,
    userEvent: insert === '' ? 'delete' : 'input.type',
  });
  return true;
}

/**
 * The selection in the shadow root of the editor. It is null in browsers that cannot give it: those write no styles. It is null on Android,
 * too, where the editor has an `EditContext` and makes each change itself.
 */
function selectionOf({ root, contentDOM }: EditorView): Selection | null {
  const { getSelection } = root as Partial<Document>;
  return getSelection && !Reflect.get(contentDOM, 'editContext') ? getSelection.call(root as Document) : null;
}
