import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretName, valueOfSecret } from './secret-store.js';

/**
 * All secrets of a folder, by name, for a mask. A folder that does not exist has none. A file that holds no secret is left out.
 * @throws Error if the folder or a file cannot be read: a text must not be kept without the mask
 */
export async function readSecretFolder(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = files.filter(isSecretName);
  const values = await Promise.all(names.map((name) => readFile(join(folder, name)).then(valueOfSecret)));
  const entries = names.map((name, n) => [name, values[n]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
