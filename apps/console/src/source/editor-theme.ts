import { EditorView } from '@codemirror/view';

/** The colours are those of the page, which change with its theme. */
export const editorTheme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--size-small)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.6',
    minHeight: '16rem',
    maxHeight: '34rem',
    overflow: 'auto',
  },
  '.cm-content': { padding: 'var(--space-3) 0', caretColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface-sunken)',
    color: 'var(--text-faint)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-placeholder': { color: 'var(--text-faint)' },
  '.cm-specialChar': { color: 'var(--mark)', backgroundColor: 'var(--mark-soft)' },
  '.cm-content ::selection': { backgroundColor: 'var(--accent-soft)' },
  '.cm-mark': { textDecorationLine: 'underline', textDecorationThickness: '2px', textUnderlineOffset: '3px' },
  '.cm-mark-error': {
    backgroundColor: 'var(--soft-bad)',
    textDecorationColor: 'var(--tone-bad)',
    textDecorationStyle: 'wavy',
  },
  '.cm-mark-warning': {
    backgroundColor: 'var(--soft-waiting)',
    textDecorationColor: 'var(--tone-waiting)',
    textDecorationStyle: 'dotted',
  },
});
