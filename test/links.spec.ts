import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Links between the pages of this tree, and from them to its files. Those to the outside are not tried. */
const ROOT = join(__dirname, '..');
const FOLDERS = ['apps', 'bench', 'bootstrap', 'deploy', 'docs', 'examples', 'libs', 'plugins', 'runtimes', 'test'];
const inside = (folder: string) =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((path) => join(folder, path));
const pages = [...readdirSync(ROOT), ...FOLDERS.flatMap(inside)].filter(
  (path) => path.endsWith('.md') && !path.includes('node_modules'),
);

/** A page without its code: what stands there is no link. */
const proseOf = (page: string) =>
  readFileSync(join(ROOT, page), 'utf8')
    .replace(/^(```+)[^]*?^\1/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

/** The anchors of a page's headings, as GitHub and GitLab make them. */
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

/** What is wrong with a link, if anything is. */
function faultOf(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(join(ROOT, file))) return `${target}: there is no ${file}`;
  if (anchor === undefined || anchorsOf(file).has(anchor)) return undefined;
  return `${target}: ${file} has no heading #${anchor}; it has ${[...anchorsOf(file)].join(', ')}`;
}

it.each(pages)('%s links to what is there', (page) => {
  const targets = [...proseOf(page).matchAll(/\]\(\s*<?([^)\s>]+)/g)].map(([, target]) => target!);
  const own = targets.filter((target) => !/^[a-z]+:/i.test(target));
  expect(own.flatMap((target) => faultOf(page, target) ?? [])).toEqual([]);
});

it.each(pages)('%s names files that are there', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+)`/g)].map(([, path]) => path!);
  const own = named.filter((path) => FOLDERS.includes(path.split('/')[0]!));
  const isThere = (path: string) => existsSync(join(ROOT, path)) || existsSync(join(ROOT, dirname(page), path));
  expect(own.filter((path) => !isThere(path))).toEqual([]);
});
