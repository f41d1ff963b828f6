import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { didYouMean, ToolError } from '@errand/contracts';
import { isWithin, realRootOf } from '../files/follow-link.js';
import { codeOf } from '../plugins/thrown-values.js';
import { walkFolder } from '../files/walk-folder.js';

/** A script and its folder, which the definition includes. */
export interface ScriptLocation {
  /** The real path of the folder `scripts`. All files of the script must be inside. */
  root: string;
  folder: string;
  /** Relative to `folder`, with `/`. */
  entry: string;
  /** The function to call; undefined if the script runs itself. */
  calls?: string;
  /**
   * Whether sub-folders are included. They are not if the script is directly in `scripts`, because that folder also has
   * other scripts.
   */
  deep: boolean;
}

/** A folder `scripts`, and its library or plugin. A link must not lead out of it. */
export interface ScriptFolder {
  path: string;
  library: string;
}

/**
 * Finds a script by its path in the first folder `scripts` that has it. `entryPoint` is a file of the folder at that
 * path, or a function of the file at that path. The details of the error may have the wrong `field` and a `suggestion`.
 * @throws ToolError SecurityError for a path that is not plain or leaves the folder; ScriptError if the script does not
 *   exist
 */
export function locateScript(
  scriptFolders: readonly ScriptFolder[],
  givenPath: string,
  entryPoint?: string,
): ScriptLocation {
  const scriptPath = plainPath(givenPath);
  for (const scriptFolder of scriptFolders) {
    const root = rootOf(scriptFolder);
    const found = root === undefined ? undefined : resolveInside(root, scriptPath);
    if (root === undefined || found === undefined) continue;
    if (statSync(found).isDirectory()) return locateEntry(scriptFolder, root, scriptPath, entryPoint);
    requireRegular(found, scriptPath);
    const folder = dirname(join(root, scriptPath));
    const entry = basename(scriptPath);
    const calls = entryPoint === entry ? undefined : requireName(scriptPath, entryPoint);
    return { root, folder, entry, ...(calls !== undefined && { calls }), deep: folder !== root };
  }
  throw noSuchScript(scriptFolders, scriptPath);
}

function requireName(scriptPath: string, entryPoint: string | undefined): string | undefined {
  if (entryPoint === undefined || /^[A-Za-z_$][\w$]*$/.test(entryPoint)) return entryPoint;
  const message = `The scriptPath '${scriptPath}' names a file, so entryPoint can only be the name of a function in it; got '${entryPoint}'`;
  throw new ToolError('ScriptError', message, { field: 'entryPoint' });
}

/** The real path of a folder `scripts`; undefined if it does not exist. */
function rootOf({ path, library }: ScriptFolder): string | undefined {
  const root = realpathOf(path);
  if (root === undefined || isWithin(root, realRootOf(library))) return root;
  throw new ToolError('SecurityError', "The folder 'scripts' is a link that leads out of the library");
}

function locateEntry(
  scriptFolder: ScriptFolder,
  root: string,
  scriptPath: string,
  entryPoint: string | undefined,
): ScriptLocation {
  if (entryPoint === undefined) {
    throw new ToolError(
      'ScriptError',
      `The scriptPath '${scriptPath}' names a folder; name the file to run with entryPoint`,
    );
  }
  const entry = plainPath(entryPoint);
  const path = `${scriptPath}/${entry}`;
  const found = resolveInside(root, path);
  if (found === undefined) {
    const { message, details } = noSuchScript([scriptFolder], path);
    throw new ToolError('ScriptError', message, { ...details, field: 'entryPoint' });
  }
  requireRegular(found, path);
  return { root, folder: join(root, scriptPath), entry, deep: true };
}

/** Removes `./` and double slashes. */
function plainPath(given: string): string {
  const path = given.replace(/\/(?:\.?\/)+/g, '/').replace(/^(?:\.\/)+/, '');
  const isPlain = path.split('/').every((part) => /^[^.\-\\\0][^\\\0]*$/.test(part)) && !/^[A-Za-z]:/.test(path);
  if (isPlain) return path;
  throw new ToolError(
    'SecurityError',
    `The script path ${JSON.stringify(given)} is not allowed: it must be relative to the folder 'scripts', and no part of it may be empty or begin with '.' or '-'`,
  );
}

/** The real path of `path`; undefined if it does not exist. */
export function resolveInside(root: string, path: string): string | undefined {
  const real = realpathOf(join(root, path));
  if (real === undefined || real.startsWith(root + sep)) return real;
  throw new ToolError('SecurityError', `'${path}' leads out of the folder 'scripts'`);
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ToolError('SecurityError', `'${basename(path)}' cannot be read (${code})`, undefined, {
      cause: error,
    });
  }
}

function requireRegular(real: string, path: string): void {
  if (!statSync(real).isFile()) throw new ToolError('SecurityError', `'${path}' is not a regular file`);
}

function noSuchScript(scriptFolders: readonly ScriptFolder[], path: string): ToolError {
  const known = scriptFolders.flatMap((folder) =>
    walkFolder(folder.path, { root: realRootOf(folder.path) }).map((file) =>
      relative(folder.path, file).split(sep).join('/'),
    ),
  );
  const inFolder = path.replace(/^scripts\//, '');
  const suggestion = known.includes(inFolder) ? inFolder : didYouMean(path, known);
  if (suggestion === undefined) return new ToolError('ScriptError', `There is no script '${path}'`);
  return new ToolError('ScriptError', `There is no script '${path}', did you mean '${suggestion}'?`, { suggestion });
}
