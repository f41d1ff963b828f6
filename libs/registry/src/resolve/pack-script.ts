import { readdirSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ToolError, type ScriptBundle } from '@errand/contracts';
import { resolveInside, type ScriptLocation } from '../load/locate-script.js';

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 500;
const MAX_VISITED = 20_000;
const LEFT_OUT = ['node_modules', '__pycache__'];

/** A file of a script bundle. */
interface TravelFile {
  /** The path relative to the folder of the script, with `/`. */
  path: string;
  real: string;
  size: number;
  mtimeMs: number;
}

/**
 * Lists the files of a script bundle: the regular files of its folder, sorted by path. Dot-files and installed or
 * cached files (`node_modules`, `__pycache__`) are left out. Links inside `scripts` are followed.
 * @throws ToolError SecurityError for a file that is not regular, or a link in the folder of the script that leaves
 *   `scripts` or leads to a cycle; ResourceLimitError for more than 4 MB or 500 files; ScriptError if the script itself
 *   is left out
 */
export function listTravelFiles(location: ScriptLocation): TravelFile[] {
  const files: TravelFile[] = [];
  collect(location, location.folder, new Set([realpathSync.native(location.folder)]), { files, visited: 0 });
  if (!files.some(({ path }) => path === location.entry)) {
    throw new ToolError('ScriptError', `The script '${location.entry}' is in a folder that is not packed with scripts`);
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Reads the files of a script bundle. */
export async function packFiles(files: readonly TravelFile[]): Promise<ScriptBundle['files']> {
  const packed = [];
  for (const { path, real } of files) packed.push({ path, base64: await readFile(real, 'base64') });
  return packed;
}

interface TravelFiles {
  files: TravelFile[];
  /** The number of visited folders and files. It also bounds folders without files that many links lead to. */
  visited: number;
}

function collect(location: ScriptLocation, folder: string, above: ReadonlySet<string>, gathered: TravelFiles): void {
  const { files } = gathered;
  for (const name of readdirSync(folder)) {
    gathered.visited += 1;
    if (gathered.visited > MAX_VISITED) throw tooLarge();
    if (name.startsWith('.') || LEFT_OUT.includes(name)) continue;
    const path = join(folder, name);
    const real = realPathOf(location, path);
    if (real === undefined) continue;
    const found = statSync(real);
    if (!location.deep && !found.isFile()) continue;
    if (found.isDirectory()) {
      if (above.has(real))
        throw new ToolError('SecurityError', `The link '${name}' leads back into a folder that contains it`);
      collect(location, path, new Set([...above, real]), gathered);
    } else {
      if (!found.isFile()) throw new ToolError('SecurityError', `'${name}' is not a regular file`);
      files.push({
        path: relative(location.folder, path).split(sep).join('/'),
        real,
        size: found.size,
        mtimeMs: found.mtimeMs,
      });
      requireWithinBounds(files);
    }
  }
}

/**
 * The real path of a file. Directly in `scripts`, a link that leaves the folder belongs to another script and is
 * skipped.
 */
function realPathOf(location: ScriptLocation, path: string): string | undefined {
  try {
    return resolveInside(location.root, relative(location.root, path));
  } catch (error) {
    if (location.deep) throw error;
    return undefined;
  }
}

function requireWithinBounds(files: readonly TravelFile[]): void {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES || files.length > MAX_FILES) throw tooLarge();
}

function tooLarge(): ToolError {
  return new ToolError(
    'ResourceLimitError',
    `The script's folder is too large: at most ${MAX_FILES} files with ${MAX_BYTES / 1024 / 1024} MB in total can be packed with a script`,
  );
}
