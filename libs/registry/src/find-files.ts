import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { codeOf } from './thrown.js';

/** What lies in a folder, sorted; nothing where there is no such folder. */
export async function namesIn(folder: string, options: { recursive?: boolean } = {}): Promise<string[]> {
  try {
    return (await readdir(folder, options)).toSorted((a, b) => (a < b ? -1 : 1));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The files below a folder whose names end so, in the order of their paths; hidden and installed ones are passed over. */
export async function findFiles(folder: string, ending: string): Promise<string[]> {
  const paths = await namesIn(folder, { recursive: true });
  return paths.filter((path) => path.endsWith(ending) && !isHidden(path)).map((path) => join(folder, path));
}

/** Whether a part of the path is a dot-file or installed packages. */
export function isHidden(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.') || part === 'node_modules');
}
