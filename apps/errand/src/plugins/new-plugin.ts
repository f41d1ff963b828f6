import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve, dirname, relative, sep } from 'node:path';
import { type CommandLine, UsageError } from '../command-line.js';
import { KnownError } from '@errand/contracts';
import { realPath, shownPath } from '../shown-path.js';
import { colour, say } from '../terminal.js';
import { libraryFolders, openRegistry } from '../tools/offline-registry.js';

const RESERVED = ['core', 'system', 'workflow'];
const LONGEST = 40;

/** `./errand plugin new <name>`: writes a plugin that loads, with a test that passes. It never overwrites a file. */
export async function newPlugin({ options, words: [name] }: CommandLine<{ in?: string }, [string]>): Promise<number> {
  requireName(name);
  const library = options.in ?? libraryOfUser(libraryFolders(), topFolder());
  const folder = resolve(library, 'plugins', name);
  if (existsSync(folder)) throw new KnownError(`${shownPath(folder)} already exists; choose another name`);
  await requireFree(name, library);
  for (const file of copyTemplate(name, folder)) say(`${colour.green('wrote')} ${shownPath(join(folder, file))}`);
  printNextSteps(name, folder, library);
  return 0;
}

/**
 * The library for new files of the user: the first folder outside of the examples, which belong to Errand. Default: `library` in the
 * folder of Errand, which `./errand` loads beside the examples if it exists.
 */
export function libraryOfUser(folders: readonly string[], top: string): string {
  const examples = realPath(join(top, 'examples'));
  const own = folders.find((folder) => {
    const real = realPath(folder);
    return real !== examples && !real.startsWith(`${examples}${sep}`);
  });
  return own ?? join(top, 'library');
}

/** @throws UsageError with the reason why a plugin cannot have the name */
function requireName(name: string): void {
  const fault = problemOf(name);
  if (fault !== undefined) throw new UsageError(`A plugin cannot have the name '${name}': ${fault}`);
}

function problemOf(name: string): string | undefined {
  if (RESERVED.includes(name.toLowerCase())) return 'Errand reserves this name';
  if (!/^[a-z0-9_-]*$/i.test(name))
    return 'the ids of its tools begin with the name, so it may have only letters a-z, digits, - and _';
  if (/[A-Z]/.test(name)) return `use lower case, '${name.toLowerCase()}', so that nobody has to guess the spelling`;
  if (!/^[a-z]/.test(name)) return 'it must begin with a letter, because ids are tags in ACTION blocks';
  if (!/[a-z0-9]$/.test(name) || /[-_]{2}/.test(name)) return 'each - and _ must be between two letters or digits';
  if (name.length > LONGEST) return `it has ${name.length} characters; at most ${LONGEST} are allowed`;
  return undefined;
}

/** @throws KnownError if another plugin or a tool file already uses the namespace */
async function requireFree(name: string, library: string): Promise<void> {
  const folders = [...new Set([...libraryFolders(), library].map((folder) => resolve(folder)))].filter((folder) =>
    existsSync(folder),
  );
  const taken = (await openRegistry(folders)).list({ namespace: name })[0];
  if (taken)
    throw new KnownError(
      `Tools with ids ${name}:… already exist (${taken.toolId} in ${taken.source}); choose another name`,
    );
}

function printNextSteps(name: string, folder: string, library: string): void {
  const path = shownPath(folder);
  const folders = libraryFolders().map(realPath);
  const isLoaded = folders.includes(realPath(library));
  say(`\n${colour.bold('Next steps')}`);
  say(`  ./errand tools check ${path}`);
  say(`  node --test ${path}/test/plugin.test.js`);
  if (!isLoaded) say(`  ${startWith(library)}   loads the library; end a running stack first`);
  say(
    `  ./errand invoke '<ACTION><${name}:repeat><text>hip</text></${name}:repeat></ACTION>'   with ./errand up in another terminal`,
  );
}

/** The command that starts Errand with one more library. `./errand` finds its own folder `library` itself. */
function startWith(library: string): string {
  const folders = libraryFolders();
  const examples = join(topFolder(), 'examples');
  const isDefault = folders.length === 1 && folders.every((folder) => realPath(folder) === realPath(examples));
  if (isDefault && realPath(library) === realPath(join(topFolder(), 'library'))) return './errand up';
  return `ERRAND_LIBRARY=${[...folders, library].map(shownPath).join(':')} ./errand up`;
}

/**
 * Copies the plugin of `examples/plugin-template` under another name. `folder` must not exist yet.
 * @returns the files, relative to `folder`
 */
function copyTemplate(name: string, folder: string): string[] {
  const template = join(topFolder(), 'examples/plugin-template');
  const schemas = join(topFolder(), 'docs/schemas');
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder);
  const files = readdirSync(template, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(template, path)).isFile())
    .toSorted();
  for (const path of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    const toSchemas = relative(dirname(target), schemas).split(sep).join('/');
    writeFileSync(target, renamed(readFileSync(join(template, path), 'utf8'), name, toSchemas), { flag: 'wx' });
  }
  return files;
}

function renamed(text: string, name: string, toSchemas: string): string {
  const title = name
    .split(/[_-]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
  return text
    .replaceAll(/(?:\.\.\/)+docs\/schemas/g, toSchemas)
    .replaceAll(/\bstarter\b/g, name)
    .replaceAll(/\bStarter\b/g, title);
}

/** The top folder of Errand, found from the sources and from dist/. */
export function topFolder(): string {
  for (let at = __dirname; at !== dirname(at); at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'errand') return at;
  }
  throw new Error(`No folder above ${__dirname} has the package.json of Errand`);
}
