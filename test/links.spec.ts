import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Checks links between the pages of this repository and to its files. External links are not checked. */
const ROOT = join(__dirname, '..');
const FOLDERS = ['apps', 'bench', 'bootstrap', 'deploy', 'docs', 'examples', 'libs', 'plugins', 'runtimes', 'test'];
const inside = (folder: string) =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((path) => join(folder, path));
const pages = [...readdirSync(ROOT), ...FOLDERS.flatMap(inside)].filter(
  (path) => path.endsWith('.md') && !path.includes('node_modules'),
);

/** A page without its code blocks, because they contain no links. */
const proseOf = (page: string) =>
  readFileSync(join(ROOT, page), 'utf8')
    .replace(/^(```+)[^]*?^\1/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

/** The anchors of the headings of a page, as GitHub and GitLab build them. */
function anchorsOf(page: string): Set<string> {
  const headings = proseOf(page).matchAll(/^#{1,6} +(.+)$/gm);
  const anchors = [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    anchors.map((anchor, at) => suffixed(anchor, anchors.slice(0, at).filter((a) => a === anchor).length)),
  );
}

const suffixed = (anchor: string, earlier: number) => (earlier === 0 ? anchor : `${anchor}-${earlier}`);

/** The error in a link, or undefined. */
function faultOf(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(join(ROOT, file))) return `${target}: ${file} does not exist`;
  if (anchor === undefined || anchorsOf(file).has(anchor)) return undefined;
  return `${target}: ${file} has no heading #${anchor}; it has ${[...anchorsOf(file)].join(', ')}`;
}

it.each(pages)('%s links only to existing files and headings', (page) => {
  const targets = [...proseOf(page).matchAll(/\]\(\s*<?([^)\s>]+)/g)].map(([, target]) => target!);
  const own = targets.filter((target) => !/^[a-z]+:/i.test(target));
  expect(own.flatMap((target) => faultOf(page, target) ?? [])).toEqual([]);
});

it.each(pages)('%s names only existing files', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+)`/g)].map(([, path]) => path!);
  const own = named.filter((path) => FOLDERS.includes(path.split('/')[0]!));
  const isThere = (path: string) => existsSync(join(ROOT, path)) || existsSync(join(ROOT, dirname(page), path));
  expect(own.filter((path) => !isThere(path))).toEqual([]);
});
