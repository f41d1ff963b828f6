import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/** A path as a person would type it in the current folder. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  if (near === '') return '.';
  return near.startsWith('..') ? path : near;
}

/** The path without links, for comparisons. A path that does not exist stays as it is. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
