import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of Errand, from the nearest package.json above this file. The sources and dist/ are below the same one. */
export const VERSION = versionAbove(__dirname);

function versionAbove(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  const above = dirname(folder);
  if (above === folder) throw new Error(`No package.json is above ${__dirname}`);
  return versionAbove(above);
}
