import { readdirSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ToolError, type ScriptBundle } from '@errand/contracts';
import { resolveInside, type ScriptLocation } from '../load/locate-script.js';

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 500;
const MAX_LOOKS = 20_000;
const LEFT_OUT = ['node_modules', '__pycache__'];

/** A file that travels with a script. */
export interface TravelFile {
  /** Relative to the script's folder, with `/`. */
  path: string;
  real: string;
  size: number;
  mtimeMs: number;
}

/**
 * The files that travel with a script: regular files of its folder, in the order of their paths, without dot-files and what is
 * installed or cached (`node_modules`, `__pycache__`). Links are followed as long as they stay inside `scripts`.
 * @throws ToolError SecurityError for a link, in the script's own folder, that leads out or in circles, or a file that is not regular; ResourceLimitError for
 *   more than 4 MB or 500 files; ScriptError where the script itself is left out
 */
export function listTravelFiles(place: ScriptLocation): TravelFile[] {
  const files: TravelFile[] = [];
  collect(place, place.folder, new Set([realpathSync.native(place.folder)]), { files, looks: 0 });
  if (!files.some(({ path }) => path === place.entry)) {
    throw new ToolError(
      'ScriptError',
      `The script '${place.entry}' lies in a folder that does not travel with scripts`,
    );
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The files as they travel. */
export async function packFiles(files: readonly TravelFile[]): Promise<ScriptBundle['files']> {
  const packed = [];
  for (const { path, real } of files) packed.push({ path, base64: await readFile(real, 'base64') });
  return packed;
}

interface TravelFiles {
  files: TravelFile[];
  /** Folders and files that were looked at: folders without files, reached through many links, must end as well. */
  looks: number;
}

function collect(place: ScriptLocation, folder: string, above: ReadonlySet<string>, gathered: TravelFiles): void {
  const { files } = gathered;
  for (const name of readdirSync(folder)) {
    gathered.looks += 1;
    if (gathered.looks > MAX_LOOKS) throw tooLarge();
    if (name.startsWith('.') || LEFT_OUT.includes(name)) continue;
    const path = join(folder, name);
    const real = realPathOf(place, path);
    if (real === undefined) continue;
    const found = statSync(real);
    if (!place.deep && !found.isFile()) continue;
    if (found.isDirectory()) {
      if (above.has(real))
        throw new ToolError('SecurityError', `The link '${name}' leads back into a folder that contains it`);
      collect(place, path, new Set([...above, real]), gathered);
    } else {
      if (!found.isFile()) throw new ToolError('SecurityError', `'${name}' is not a regular file`);
      files.push({
        path: relative(place.folder, path).split(sep).join('/'),
        real,
        size: found.size,
        mtimeMs: found.mtimeMs,
      });
      requireWithinBounds(files);
    }
  }
}

/** What lies beside a script among others and leads out of the folder concerns the others: it stays behind. */
function realPathOf(place: ScriptLocation, path: string): string | undefined {
  try {
    return resolveInside(place.root, relative(place.root, path));
  } catch (error) {
    if (place.deep) throw error;
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
    `The script's folder is too large: at most ${MAX_FILES} files with ${MAX_BYTES / 1024 / 1024} MB in all travel with a script`,
  );
}
