import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { LibraryProblem } from '@errand/registry';
import { shownPath } from '../shown-path.js';
import { harmless } from '../terminal.js';
import { findLibrary } from './find-library.js';
import { libraryFolders, openRegistry } from './offline-registry.js';

/** What there is in a library, and what is wrong with its files. */
export interface LibraryCheck {
  /** How many tools it defines, beside the built-in ones. */
  tools: number;
  problems: LibraryProblem[];
}

/**
 * Loads library folders as every process of Errand would, and says what is wrong with them. A path inside a library is looked at as
 * a part of it; without one, the folders that the environment names are.
 */
export async function checkLibrary(path?: string): Promise<LibraryCheck> {
  if (path === undefined) return check(libraryFolders(), [], () => true);
  const { library, plugin, only } = findLibrary(path);
  const folders = libraryFolders().map((folder) => resolve(folder));
  const around = library === undefined ? [] : folders.includes(library) ? folders : [library];
  const meant = placesOf(only);
  const isMeant = (file: string) => placesOf(file).some((place) => meant.some((each) => isWithin(place, each)));
  return check(around, plugin === undefined ? [] : [plugin], isMeant);
}

async function check(
  folders: readonly string[],
  plugins: readonly string[],
  isMeant: (file: string) => boolean,
): Promise<LibraryCheck> {
  const registry = await openRegistry(folders, plugins);
  const own = registry.list().filter(({ source }) => source !== 'core');
  return {
    tools: own.filter(({ source }) => [...folders, ...plugins].some((folder) => isMeant(resolve(folder, source))))
      .length,
    problems: registry.problems().filter(({ file }) => isMeant(file)),
  };
}

/** Where a path is, and where it leads: a link out of the library is a problem at the place where the link is. */
function placesOf(path: string): string[] {
  const at = resolve(path);
  const around = dirname(at);
  return [existsSync(at) ? realpathSync(at) : at, existsSync(around) ? join(realpathSync(around), basename(at)) : at];
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** A problem as compilers tell it: the place first, so that editors and terminals can go there; then what, and how to mend it. */
export function renderProblem({ file, line, column, field, message, suggestion }: LibraryProblem): string {
  const place = [shownPath(file), ...(line === undefined ? [] : [line, column ?? 1])].join(':');
  const hint = suggestion === undefined || message.includes('did you mean') ? '' : `, did you mean '${suggestion}'?`;
  return harmless(`${place}: ${field === undefined ? '' : `${field}: `}${message}${hint}`);
}
