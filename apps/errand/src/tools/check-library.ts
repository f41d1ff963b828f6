import { existsSync, realpathSync, lstatSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { LibraryProblem } from '@errand/registry';
import { shownPath } from '../shown-path.js';
import { escapeControls } from '../terminal.js';
import { libraryFolders, openRegistry } from './offline-registry.js';
import { KnownError } from '@errand/contracts';

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
  const meant = realPathsOf(only);
  const isMeant = (file: string) => realPathsOf(file).some((place) => meant.some((each) => isWithin(place, each)));
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
function realPathsOf(path: string): string[] {
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
  return escapeControls(`${place}: ${field === undefined ? '' : `${field}: `}${message}${hint}`);
}

/** What a library folder may hold. */
const LIBRARY_FOLDERS = ['tools', 'plugins', 'workflows', 'agents', 'scripts'];

/** What to load to look at a path, and the path itself. */
export interface LibraryPath {
  /** The library that it belongs to, */
  library?: string;
  /** or the plugin, which lies in none. */
  plugin?: string;
  only: string;
}

/**
 * The library around a path: of the library itself, of a folder or file inside it, or of a plugin's folder that stands alone.
 * @throws KnownError for a path that is none of these
 */
export function findLibrary(path: string): LibraryPath {
  const target = resolve(path);
  if (!lstatSync(target, { throwIfNoEntry: false })) throw new KnownError(`There is no file or folder '${path}'`);
  if (LIBRARY_FOLDERS.some((folder) => existsSync(join(target, folder))) && !isPlugin(target))
    return { library: target, only: target };
  for (let at = target; at !== dirname(at); at = dirname(at)) {
    const isLibraryFolder = LIBRARY_FOLDERS.includes(basename(at)) && !isPlugin(dirname(at));
    if (isLibraryFolder) return { library: dirname(at), only: target };
    if (isPlugin(at) && basename(dirname(at)) !== 'plugins') return { plugin: at, only: target };
  }
  throw new KnownError(
    `${path} is no library: it has none of the folders ${LIBRARY_FOLDERS.map((folder) => `${folder}/`).join(' ')}, and lies in no library`,
  );
}

function isPlugin(path: string): boolean {
  return existsSync(join(path, 'plugin.yaml'));
}
