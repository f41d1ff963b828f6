import { signal } from '@preact/signals';
import { actingTenant } from '../../api/acting-tenant.js';
import { whoami } from '../../api/session.js';

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
  if (views.value.key === key) return views.value.list;
  const list = parseViews(localStorage.getItem(key));
  views.value = { key, list };
  return list;
}

/** Keeps a view. One with the same name is replaced. */
export function saveView(name: string, search: string): void {
  const short = name.trim().slice(0, LONGEST_NAME);
  if (short === '') return;
  keep([...savedViews().filter((view) => view.name !== short), { name: short, search }].slice(-MOST_VIEWS));
}

export function removeView(name: string): void {
  keep(savedViews().filter((view) => view.name !== name));
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

function keep(list: readonly SavedView[]): void {
  const key = keyOf();
  localStorage.setItem(key, JSON.stringify(list));
  views.value = { key, list };
}

function keyOf(): string {
  return `errand-views-${actingTenant() ?? whoami.value?.tenant ?? ''}`;
}
