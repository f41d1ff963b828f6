import { signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'errand-theme';

/** The theme that the reader has chosen. It is kept in the browser. */
export const theme = signal<Theme>(keptTheme());

/** Whether the page is dark now, by choice or by the system. */
export function isDark(): boolean {
  if (theme.value !== 'system') return theme.value === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

/** Sets `data-theme` of the page, which tokens.css reads. */
export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
}

/** Chooses the next theme. */
export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  localStorage.setItem(KEY, theme.value);
  applyTheme();
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((each) => each === kept) ?? 'system';
}
