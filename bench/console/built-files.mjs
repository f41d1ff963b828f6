// What the build of the console has made, in KB of gzip.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const sizeOf = (file) => gzipSync(readFileSync(file), { level: 9 }).length / 1_000;

/** The files that `index.html` names, which every page loads first, and all others. @returns `{first, later: [{name, kb}]}` */
export function sizesOfBuild(folder) {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const files = readdirSync(join(folder, 'assets')).filter((name) => !name.endsWith('.gz'));
  const [named, later] = [files.filter((name) => page.includes(name)), files.filter((name) => !page.includes(name))];
  const kbOf = (name) => sizeOf(join(folder, 'assets', name));
  return {
    first: sizeOf(join(folder, 'index.html')) + named.reduce((sum, name) => sum + kbOf(name), 0),
    later: later.map((name) => ({ name, kb: kbOf(name) })).toSorted((a, b) => b.kb - a.kb),
  };
}
