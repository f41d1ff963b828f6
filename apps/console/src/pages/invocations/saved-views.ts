import { signal } from '@preact/signals';
import { shownTenant } from '../../api/session.js';

/** A name for an address of the list. */
export interface SavedView {
  name: string;
  /** The query of the address, with `?`. */
  search: string;
}

const MOST_VIEWS = 50;
const LONGEST_NAME = 60;

const views = signal<{ key: string; list: readonly SavedView[] }>({ key: '', list: [] });

/** The views that this browser keeps for the tenant. A logout deletes them. */
export function savedViews(): readonly SavedView[] {
  const key = keyOf();
  return views.value.key === key ? views.value.list : readViews(key);
}

/** Keeps a view. One with the same name is replaced. */
export function saveView(name: string, search: string): void {
  const short = name.trim().slice(0, LONGEST_NAME);
  if (short === '') return;
  change((list) => [...list.filter((view) => view.name !== short), { name: short, search }].slice(-MOST_VIEWS));
}

export function removeView(name: string): void {
  change((list) => list.filter((view) => view.name !== name));
}

/** The views in a stored text. Anything else there is ignored. */
export function parseViews(text: string | null): SavedView[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isView).slice(0, MOST_VIEWS) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('search' in value)) return false;
  return typeof value.name === 'string' && typeof value.search === 'string' && value.search.startsWith('?');
}

/** A change begins with what the browser has now: another tab may have saved or removed a view. */
function change(changed: (list: readonly SavedView[]) => readonly SavedView[]): void {
  const key = keyOf();
  const list = changed(readViews(key));
  localStorage.setItem(key, JSON.stringify(list));
  views.value = { key, list };
}

function readViews(key: string): readonly SavedView[] {
  const list = parseViews(localStorage.getItem(key));
  views.value = { key, list };
  return list;
}

function keyOf(): string {
  return `errand-views-${shownTenant()}`;
}

// Another tab has changed the storage. The event has no key if that tab has deleted everything.
globalThis.addEventListener?.('storage', ({ key }: StorageEvent) => {
  if (key === null || key === views.value.key) readViews(views.value.key);
});
