import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';

/**
 * Who may import whom, beside themselves and packages. Specs, and what stands in a `test` folder, may import anything.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'libs/contracts': [],
  'libs/protocol': ['libs/contracts'],
  'libs/registry': ['libs/contracts'],
  'libs/engine': ['libs/contracts', 'libs/threads'],
  'libs/queue': ['libs/contracts'],
  'libs/platform': ['libs/contracts'],
  'libs/threads': [],
  'plugins/core': ['libs/contracts', 'libs/threads'],
  'apps/api': [
    'libs/contracts',
    'libs/protocol',
    'libs/registry',
    'libs/engine',
    'libs/queue',
    'libs/platform',
    'libs/threads',
  ],
  'apps/worker': ['libs/contracts', 'libs/protocol', 'libs/registry', 'libs/engine', 'libs/queue', 'libs/platform'],
  'apps/script-runner': ['libs/contracts', 'libs/registry', 'libs/queue', 'libs/platform'],
  'apps/errand': [
    'apps/api',
    'apps/worker',
    'apps/script-runner',
    'libs/contracts',
    'libs/protocol',
    'libs/registry',
    'libs/engine',
    'libs/platform',
  ],
};

/** Packages that only these rooms may use. */
const RESERVED: readonly { packages: RegExp; rooms: RegExp; why: string }[] = [
  {
    packages: /^(bullmq|ioredis|@nestjs\/bullmq)(\/|$)/,
    rooms: /^libs\/queue\//,
    why: 'only libs/queue speaks to Redis',
  },
  {
    packages: /^@nestjs\//,
    rooms: /^(apps\/|libs\/platform\/|libs\/queue\/src\/queue\.module\.ts)/,
    why: 'Nest is the composition root',
  },
  {
    packages: /^dockerode$/,
    rooms: /^apps\/(script-runner|errand)\//,
    why: 'only the script-runner touches Docker; the CLI builds its images',
  },
  { packages: /^piscina$/, rooms: /^libs\/threads\//, why: 'one thread pool with a hard stop serves all' },
  { packages: /^(node:.*|fs|path|http)$/, rooms: /^(?!libs\/protocol\/)/, why: 'libs/protocol is pure' },
];

const ROOT = join(__dirname, '..');
const isTest = (path: string) => /(^|\/)test\/|\.(spec|int-spec|e2e-spec)\.ts$/.test(path);

const sources = Object.keys(MAY_IMPORT).flatMap((room) =>
  (readdirSync(join(ROOT, room), { recursive: true }) as string[])
    .map((path) => join(room, path))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !isTest(path)),
);

const roomOf = (path: string) => path.split('/').slice(0, 2).join('/');

/** A file's imports: files of this tree as paths from its root, packages as they are written. */
function importsOf(path: string): { files: string[]; packages: string[] } {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, path), 'utf8'));
  const files: string[] = [];
  const packages: string[] = [];
  for (const { fileName } of importedFiles) {
    const own = /^@errand\/([\w-]+)$/.exec(fileName);
    if (own) files.push(`libs/${own[1]}/src/index.ts`);
    else if (fileName.startsWith('.')) files.push(normalize(join(dirname(path), fileName)).replace(/\.js$/, '.ts'));
    else packages.push(fileName);
  }
  return { files, packages };
}

const graph = new Map(sources.map((path) => [path, importsOf(path)]));

/** The first circle of imports, if there is one. */
function findCircle(): string[] {
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    done.add(path);
    for (const next of graph.get(path)?.files ?? []) {
      const circle = walk(next, [...trail, path]);
      if (circle.length > 0) return circle;
    }
    return [];
  };
  for (const path of graph.keys()) {
    const circle = walk(path, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

describe('the house', () => {
  it('has every room of the table', () => {
    for (const room of Object.keys(MAY_IMPORT)) expect(sources.filter((path) => roomOf(path) === room)).not.toEqual([]);
  });

  it('imports only downwards', () => {
    const wrong = [...graph].flatMap(([path, { files }]) =>
      files
        .filter((target) => roomOf(target) !== roomOf(path) && !MAY_IMPORT[roomOf(path)]!.includes(roomOf(target)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('enters another room by its front door only', () => {
    const doors = /^(libs\/[\w-]+\/src\/index\.ts|apps\/[\w-]+\/src\/start\.ts)$/;
    const wrong = [...graph].flatMap(([path, { files }]) =>
      files
        .filter((target) => roomOf(target) !== roomOf(path) && !doors.test(target))
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no circle', () => {
    expect(findCircle()).toEqual([]);
  });

  it.each(RESERVED)('keeps $packages where they belong: $why', ({ packages, rooms }) => {
    const wrong = [...graph].flatMap(([path, imports]) =>
      rooms.test(path)
        ? []
        : imports.packages.filter((name) => packages.test(name)).map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('names files after what they do', () => {
    const empty = sources.filter((path) =>
      /(^|[/.-])(utils?|helpers?|common|misc|manager|service)\.ts$/.test(relative('.', path)),
    );
    expect(empty).toEqual([]);
  });
});
