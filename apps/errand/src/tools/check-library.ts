import { existsSync, realpathSync, lstatSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { LibraryProblem } from '@errand/registry';
import { shownPath } from '../shown-path.js';
import { escapeControls } from '../terminal.js';
import { libraryFolders, openRegistry } from './offline-registry.js';
import { KnownError } from '@errand/contracts';

/** The content of a library and the problems of its files. */
interface LibraryCheck {
  /** The number of its tools, without the built-in ones. */
  tools: number;
  problems: LibraryProblem[];
}

/** The folders of a library. */
const LIBRARY_FOLDERS = ['tools', 'plugins', 'workflows', 'agents', 'scripts'];

/** The file with servers of other tools, at the top of a library or plugin. */
const SERVERS = 'mcp.json';

/** The library or plugin to load for a path, and the path itself. */
interface LibraryPath {
  /** The library of the path. */
  library?: string;
  /** The plugin of the path, if the plugin is outside of any library. */
  plugin?: string;
  only: string;
}

/**
 * Loads library folders like every process of Errand and returns their problems. A path inside a library selects the problems of that
 * part. Without a path, the folders of ERRAND_LIBRARY are checked.
 */
export async function checkLibrary(path?: string): Promise<LibraryCheck> {
  if (path === undefined) return check(libraryFolders(), [], () => true);
  const { library, plugin, only } = findLibrary(path);
  const folders = libraryFolders().map((folder) => resolve(folder));
  const around = library === undefined ? [] : folders.includes(library) ? folders : [library];
  const selected = realPathsOf(only);
  const isSelected = (file: string) =>
    realPathsOf(file).some((real) => selected.some((folder) => isWithin(real, folder)));
  return check(around, plugin === undefined ? [] : [plugin], isSelected);
}

async function check(
  folders: readonly string[],
  plugins: readonly string[],
  isSelected: (file: string) => boolean,
): Promise<LibraryCheck> {
  const registry = await openRegistry(folders, plugins);
  const own = registry.list().filter(({ source }) => source !== 'core');
  return {
    tools: own.filter(({ source }) => [...folders, ...plugins].some((folder) => isSelected(resolve(folder, source))))
      .length,
    problems: registry.problems().filter(({ file }) => isSelected(file)),
  };
}

/** The real path of a file, and the real path of its link. A link out of the library is a problem of the link's own folder. */
function realPathsOf(path: string): string[] {
  const at = resolve(path);
  const around = dirname(at);
  return [existsSync(at) ? realpathSync(at) : at, existsSync(around) ? join(realpathSync(around), basename(at)) : at];
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Formats a problem like a compiler: the position first, so that editors and terminals can open it, then the problem and its fix. */
export function renderProblem({ file, line, column, field, message, suggestion }: LibraryProblem): string {
  const position = [shownPath(file), ...(line === undefined ? [] : [line, column ?? 1])].join(':');
  const hint = suggestion === undefined || message.includes('did you mean') ? '' : `, did you mean '${suggestion}'?`;
  return escapeControls(`${position}: ${field === undefined ? '' : `${field}: `}${message}${hint}`);
}

/**
 * Finds the library of a path. The path may be a library, a folder or file inside it, or a plugin outside of any library.
 * @throws KnownError for any other path
 */
function findLibrary(path: string): LibraryPath {
  const target = resolve(path);
  if (!lstatSync(target, { throwIfNoEntry: false }))
    throw new KnownError(`The file or folder '${path}' does not exist`);
  if ([...LIBRARY_FOLDERS, SERVERS].some((part) => existsSync(join(target, part))) && !isPlugin(target))
    return { library: target, only: target };
  if (basename(target) === SERVERS && !isPlugin(dirname(target))) return { library: dirname(target), only: target };
  for (let at = target; at !== dirname(at); at = dirname(at)) {
    const isLibraryFolder = LIBRARY_FOLDERS.includes(basename(at)) && !isPlugin(dirname(at));
    if (isLibraryFolder) return { library: dirname(at), only: target };
    if (isPlugin(at) && basename(dirname(at)) !== 'plugins') return { plugin: at, only: target };
  }
  throw new KnownError(
    `${path} is not a library or a part of one: a library has one of the folders ${LIBRARY_FOLDERS.map((folder) => `${folder}/`).join(' ')}`,
  );
}

function isPlugin(path: string): boolean {
  return existsSync(join(path, 'plugin.yaml'));
}
