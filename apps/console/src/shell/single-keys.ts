import { signal } from '@preact/signals';

const KEY = 'errand-shortcuts';

/** Whether single keys do something. A reader can switch them off; `Ctrl/⌘ K` always works. */
export const singleKeys = signal(localStorage.getItem(KEY) !== 'off');

export function setSingleKeys(isOn: boolean): void {
  singleKeys.value = isOn;
  localStorage.setItem(KEY, isOn ? 'on' : 'off');
}

/** Whether a single key may act now: they are on, and no dialog is open. */
export function singleKeysAllowed(): boolean {
  return singleKeys.value && document.querySelector('dialog[open]') === null;
}

/** Whether the key belongs to a text that is being typed, or to a combination. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Sets the focus to the first filter or search box of the page. @returns whether there is one */
export function focusFirstFilter(): boolean {
  const found = document.querySelector<HTMLElement>(
    'main [role=search] :is(input, select), main [role=searchbox], main input[type=search]',
  );
  found?.focus();
  return found !== null;
}
