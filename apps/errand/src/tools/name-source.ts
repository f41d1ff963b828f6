import type { RunningStack } from '../running-stack.js';
import { realPath, shownPath } from '../shown-path.js';

/** Where the tools of a running stack come from: its address and its library. */
export function describeStack({ url, library }: Pick<RunningStack, 'url' | 'library'>): string {
  return `from the stack on ${url}${library ? `, which has loaded ${namesOf(library)}` : ''}`;
}

/** Where tools from files come from, and whether the running stack has loaded these files. */
export function describeFiles(
  folders: readonly string[],
  stack: Pick<RunningStack, 'url' | 'library'> | undefined,
): string {
  return `from the files in ${namesOf(folders)} (${stack ? relationOf(folders, stack) : 'no stack runs'})`;
}

function relationOf(folders: readonly string[], { url, library }: Pick<RunningStack, 'url' | 'library'>): string {
  if (!library) return `the stack on ${url} does not say which library it has loaded`;
  const loaded = new Set(library.map(realPath));
  const missing = folders.filter((folder) => !loaded.has(realPath(folder)));
  if (missing.length > 0) return `the stack on ${url} has not loaded ${namesOf(missing)}, but ${namesOf(library)}`;
  const others = library.length > new Set(folders.map(realPath)).size ? ` among ${namesOf(library)}` : '';
  return `the stack on ${url} has loaded this library${others}`;
}

const namesOf = (folders: readonly string[]) =>
  folders.length > 0 ? folders.map(shownPath).join(' and ') : 'no library';
