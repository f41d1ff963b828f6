import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';

/**
 * The packages that each package may import, besides itself and external packages. Specs and files in a `test` folder
 * may import anything.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'libs/contracts': [],
  'libs/protocol': ['libs/contracts'],
  'libs/registry': ['libs/contracts'],
  'libs/engine': ['libs/contracts', 'libs/threads'],
  'libs/agents': ['libs/contracts', 'libs/protocol'],
  'libs/mcp-client': ['libs/contracts'],
  'libs/queue': ['libs/contracts'],
  'libs/platform': ['libs/contracts'],
  'libs/threads': [],
  'libs/tool-generator': ['libs/contracts', 'libs/registry'],
  'plugins/core': ['libs/contracts', 'libs/threads'],
  'apps/api': [
    'libs/contracts',
    'libs/protocol',
    'libs/agents',
    'libs/registry',
    'libs/engine',
    'libs/queue',
    'libs/platform',
    'libs/threads',
  ],
  'apps/worker': [
    'libs/contracts',
    'libs/protocol',
    'libs/agents',
    'libs/mcp-client',
    'libs/registry',
    'libs/engine',
    'libs/queue',
    'libs/platform',
  ],
  'apps/console': ['libs/contracts'],
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
    'libs/tool-generator',
  ],
};

/** External packages that only some packages of this project may use. */
const RESERVED: readonly { packages: RegExp; importers: RegExp; why: string }[] = [
  {
    packages: /^(bullmq|ioredis|@nestjs\/bullmq)(\/|$)/,
    importers: /^libs\/queue\//,
    why: 'only libs/queue speaks to Redis',
  },
  {
    packages: /^@nestjs\//,
    importers: /^(apps\/|libs\/platform\/|libs\/queue\/src\/queue\.module\.ts)/,
    why: 'Nest is the composition root',
  },
  {
    packages: /^dockerode$/,
    importers: /^apps\/(script-runner|errand)\//,
    why: 'only the script-runner uses Docker; the CLI builds its images',
  },
  { packages: /^piscina$/, importers: /^libs\/threads\//, why: 'all packages share one thread pool with a hard stop' },
  {
    packages: /^(node:.*|fs|path|http)$/,
    importers: /^(?!libs\/(protocol|agents)\/)/,
    why: 'libs/protocol and libs/agents are pure',
  },
  {
    packages: /^@modelcontextprotocol\/(server|node)(\/|$)/,
    importers: /^apps\/api\/src\/mcp\//,
    why: 'one folder translates MCP requests',
  },
  {
    packages: /^@modelcontextprotocol\/client(\/|$)/,
    importers: /^libs\/mcp-client\//,
    why: 'only libs/mcp-client speaks to servers of other tools',
  },
  {
    packages: /^@a2a-js\/sdk(\/|$)/,
    importers: /^apps\/api\/src\/a2a\//,
    why: 'each protocol of agents has one folder, which loads its SDK with the first request',
  },
  {
    packages: /^@ag-ui\//,
    importers: /^apps\/api\/src\/agui\//,
    why: 'the surface of AG-UI loads them when it is used',
  },
  {
    packages: /^(openai|@anthropic-ai\/sdk)(\/|$)/,
    importers: /^$/,
    why: 'only tests use the types of the model APIs',
  },
];

const ROOT = join(__dirname, '..');
const isTest = (path: string) => /(^|\/)test\/|\.(spec|int-spec|e2e-spec)\.tsx?$/.test(path);

const sources = Object.keys(MAY_IMPORT).flatMap((name) =>
  (readdirSync(join(ROOT, name), { recursive: true }) as string[])
    .map((path) => join(name, path))
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts') && !isTest(path)),
);

/** The source file behind an import of `./name.js`. */
function sourceOf(path: string): string {
  const component = path.replace(/\.js$/, '.tsx');
  return existsSync(join(ROOT, component)) ? component : path.replace(/\.js$/, '.ts');
}

const packageOf = (path: string) => path.split('/').slice(0, 2).join('/');

/** The imports of a file: files of this project as paths from its root, external packages by their names. */
function importsOf(path: string): { files: string[]; packages: string[] } {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, path), 'utf8'));
  const files: string[] = [];
  const packages: string[] = [];
  for (const { fileName } of importedFiles) {
    const own = /^@errand\/([\w-]+)$/.exec(fileName);
    if (own) files.push(`libs/${own[1]}/src/index.ts`);
    else if (fileName.startsWith('.')) files.push(sourceOf(normalize(join(dirname(path), fileName))));
    else packages.push(fileName);
  }
  return { files, packages };
}

const graph = new Map(sources.map((path) => [path, importsOf(path)]));

/** The first cycle of imports, or an empty list. */
function findCycle(): string[] {
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    done.add(path);
    for (const next of graph.get(path)?.files ?? []) {
      const cycle = walk(next, [...trail, path]);
      if (cycle.length > 0) return cycle;
    }
    return [];
  };
  for (const path of graph.keys()) {
    const cycle = walk(path, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

describe('The package structure', () => {
  it('Every package of the table has source files', () => {
    for (const name of Object.keys(MAY_IMPORT))
      expect(sources.filter((path) => packageOf(path) === name)).not.toEqual([]);
  });

  it('Every package imports only the packages that the table allows', () => {
    const wrong = [...graph].flatMap(([path, { files }]) =>
      files
        .filter(
          (target) =>
            packageOf(target) !== packageOf(path) && !MAY_IMPORT[packageOf(path)]!.includes(packageOf(target)),
        )
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('A package imports another package only by its public entry', () => {
    const entries = /^(libs\/[\w-]+\/src\/index\.ts|apps\/[\w-]+\/src\/start\.ts)$/;
    const wrong = [...graph].flatMap(([path, { files }]) =>
      files
        .filter((target) => packageOf(target) !== packageOf(path) && !entries.test(target))
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('The imports of the source files have no cycle', () => {
    expect(findCycle()).toEqual([]);
  });

  it.each(RESERVED)('Only the allowed packages import $packages: $why', ({ packages, importers }) => {
    const wrong = [...graph].flatMap(([path, imports]) =>
      importers.test(path)
        ? []
        : imports.packages.filter((name) => packages.test(name)).map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('The SDKs of the agent protocols are loaded when a route is first used, so that a process without such clients does not pay', () => {
    const eager = /^import (?!type\b)[^;]*from '@modelcontextprotocol\//m;
    expect(sources.filter((path) => eager.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });

  it('Every source file has a basename of its own, except index, main and start', () => {
    const names = sources.map((path) => basename(path)).filter((name) => !/^(index|main|start)\.ts$/.test(name));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('No source file has a meaningless name such as utils, helpers or common', () => {
    const empty = sources.filter((path) =>
      /(^|[/.-])(utils?|helpers?|common|misc|manager|(?<!call-)service)\.ts$/.test(relative('.', path)),
    );
    expect(empty).toEqual([]);
  });
});
