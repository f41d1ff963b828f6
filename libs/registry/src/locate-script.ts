import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { didYouMean, ToolError } from '@errand/contracts';
import { findFiles } from './find-files.js';
import { codeOf } from './thrown.js';

/** A script and the folder that travels with it. */
export interface ScriptPlace {
  /** The real path of the folder `scripts`, which nothing may leave. */
  root: string;
  folder: string;
  /** Relative to `folder`, with `/`. */
  entry: string;
  /** Whether sub-folders travel, too: not where the script lies directly in `scripts`, for there the others lie as well. */
  deep: boolean;
}

/**
 * Finds a script by its path relative to the first of the folders `scripts` that has it.
 * @throws ToolError SecurityError for a path that is not plain or leads out of the folder; ScriptError where there is no such script
 */
export async function locateScript(
  scriptFolders: readonly string[],
  scriptPath: string,
  entryPoint?: string,
): Promise<ScriptPlace> {
  requirePlainPath(scriptPath);
  for (const scriptFolder of scriptFolders) {
    const root = await realpathOf(scriptFolder);
    const found = root === undefined ? undefined : await resolveInside(root, scriptPath);
    if (root === undefined || found === undefined) continue;
    if ((await stat(found)).isDirectory()) return locateEntry(root, scriptPath, entryPoint);
    if (entryPoint !== undefined && entryPoint !== basename(scriptPath)) {
      throw new ToolError(
        'ScriptError',
        `The scriptPath '${scriptPath}' names a file; entryPoint is for a folder, leave it out`,
      );
    }
    await requireRegular(found, scriptPath);
    const folder = dirname(join(root, scriptPath));
    return { root, folder, entry: basename(scriptPath), deep: folder !== root };
  }
  throw await noSuchScript(scriptFolders, scriptPath);
}

async function locateEntry(root: string, scriptPath: string, entryPoint: string | undefined): Promise<ScriptPlace> {
  if (entryPoint === undefined) {
    throw new ToolError(
      'ScriptError',
      `The scriptPath '${scriptPath}' names a folder; say with entryPoint which file of it to run`,
    );
  }
  requirePlainPath(entryPoint);
  const path = `${scriptPath}/${entryPoint}`;
  const found = await resolveInside(root, path);
  if (found === undefined) throw await noSuchScript([root], path);
  await requireRegular(found, path);
  return { root, folder: join(root, scriptPath), entry: entryPoint, deep: true };
}

function requirePlainPath(path: string): void {
  const isPlain = path.split('/').every((part) => /^[^.\-\\\0][^\\\0]*$/.test(part)) && !/^[A-Za-z]:/.test(path);
  if (isPlain) return;
  throw new ToolError(
    'SecurityError',
    `The script path ${JSON.stringify(path)} is not allowed: it must be relative to the folder 'scripts', and no part of it may be empty or begin with '.' or '-'`,
  );
}

/** The real path of what lies at `path`, or undefined where nothing does. */
export async function resolveInside(root: string, path: string): Promise<string | undefined> {
  const real = await realpathOf(join(root, path));
  if (real === undefined || real.startsWith(root + sep)) return real;
  throw new ToolError('SecurityError', `'${path}' leads out of the folder 'scripts'`);
}

async function realpathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ToolError('SecurityError', `'${basename(path)}' cannot be read (${code})`, undefined, {
      cause: error,
    });
  }
}

async function requireRegular(real: string, path: string): Promise<void> {
  if (!(await stat(real)).isFile()) throw new ToolError('SecurityError', `'${path}' is not a regular file`);
}

async function noSuchScript(scriptFolders: readonly string[], path: string): Promise<ToolError> {
  const known = await Promise.all(
    scriptFolders.map(async (folder) =>
      (await findFiles(folder, '')).map((file) => relative(folder, file).split(sep).join('/')),
    ),
  );
  const suggestion = didYouMean(path, known.flat());
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
  return new ToolError('ScriptError', `There is no script '${path}'${hint}`);
}
