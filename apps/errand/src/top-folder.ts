import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The top folder of Errand, found from the sources and from dist/. */
export function topFolder(): string {
  for (let at = __dirname; at !== dirname(at); at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'errand') return at;
  }
  throw new Error(`No folder above ${__dirname} has the package.json of Errand`);
}
