import { signal } from '@preact/signals';

/** A logout deletes what has such a name. */
const KEY = 'errand-draft-text';

/** The text of the page `try`. It survives a reload of the page, but not a logout. */
export const draft = signal(localStorage.getItem(KEY) ?? '');

export function saveDraft(text: string): void {
  draft.value = text;
  try {
    if (text === '') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, text);
  } catch {
    // The storage of the browser is full or forbidden: the draft lives as long as the page.
  }
}

/** Reads the draft again: another tab may have changed it, or a logout has deleted it. */
export function readDraft(): string {
  draft.value = localStorage.getItem(KEY) ?? '';
  return draft.value;
}
