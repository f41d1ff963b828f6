import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder with a package.json above this file. The sources and dist/ are below the same one. */
export const ROOT = rootAbove(__dirname);

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error(`No package.json is above ${__dirname}`);
  return rootAbove(above);
}
