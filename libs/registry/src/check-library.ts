import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LibraryProblem } from './library-problem.js';
import { loadLibrary, type LibraryOptions } from './load-library.js';

const PARTS = ['tools', 'plugins', 'workflows', 'agents', 'scripts'];

/** All that is wrong with one library folder, or with the folder of one plugin; of a folder that is neither, that. */
export async function checkLibrary(
  folder: string,
  options: Omit<LibraryOptions, 'folders' | 'pluginFolders'>,
): Promise<readonly LibraryProblem[]> {
  if (existsSync(join(folder, 'plugin.yaml'))) {
    return (await loadLibrary({ ...options, folders: [], pluginFolders: [folder] })).problems;
  }
  if (existsSync(folder) && !PARTS.some((part) => existsSync(join(folder, part)))) {
    const message = `This is no library: it has no folder ${PARTS.slice(0, -1).join(', ')} or ${PARTS.at(-1)}, and no plugin.yaml`;
    return [{ file: folder, message }];
  }
  return (await loadLibrary({ ...options, folders: [folder] })).problems;
}
