import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of Errand itself, seen from the sources and from dist/ alike. */
export function topFolder(): string {
  for (let at = __dirname; at !== dirname(at); at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'errand') return at;
  }
  throw new Error(`No folder above ${__dirname} has the package.json of Errand`);
}
