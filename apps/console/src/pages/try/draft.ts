import { shownTenant } from '../../api/session.js';

/** The draft that the storage of the browser did not take. It lives as long as the page. */
let unstored: { name: string; text: string } | undefined;

/** Keeps the text of the page `try` for the tenant that is shown. It survives a reload of the page, but not a logout. */
export function saveDraft(text: string): void {
  const name = nameOfDraft();
  unstored = undefined;
  try {
    if (text === '') localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // The storage of the browser is full or forbidden.
    unstored = { name, text };
  }
}

/** Reads the draft of the tenant that is shown: another tab may have changed it, or a logout has deleted it. */
export function readDraft(): string {
  const name = nameOfDraft();
  return unstored?.name === name ? unstored.text : (localStorage.getItem(name) ?? '');
}

/** A logout deletes what has such a name. */
function nameOfDraft(): string {
  return `errand-draft-text-${shownTenant()}`;
}
