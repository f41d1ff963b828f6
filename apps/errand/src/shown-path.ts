import { relative } from 'node:path';

/** A path as a person would type it in the current folder. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  if (near === '') return '.';
  return near.startsWith('..') ? path : near;
}
