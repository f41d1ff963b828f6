import { existsSync, statSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { checkFile } from './check-file.js';
import type { FileShapes } from './file-shapes.js';
import { isInside, realRootOf } from './follow-link.js';
import type { LibraryFiles, ParsedFile, WorkflowFile, LocatedValue, Plugin, ServerFile } from './library-files.js';
import type { LibraryProblem, ReportProblem } from './library-problem.js';
import { openPlugin } from '../plugins/open-plugin.js';
import { parseSource } from './parse-source.js';
import { PluginCodes } from '../plugins/plugin-codes.js';
import { readText, stateOf } from './read-text.js';
import { reportMisnamed } from '../load/report-misnamed.js';
import type { SourceFile } from './source-file.js';
import { readServers } from '../remote/read-servers.js';
import { messageOf } from '../plugins/thrown-values.js';
import { walkFolder, isHidden } from './walk-folder.js';

export interface LibraryFolders {
  /** The library folders. The first definition of a name wins. */
  folders: readonly string[];
  /** The folder of the built-in plugin, which comes before all others. */
  coreDir: string;
  /** Folders of single plugins, which come after the libraries. */
  pluginFolders?: readonly string[];
  /**
   * Checks the built-in plugin like any other. Only a test needs this: the plugin belongs to the program, and the checks of its schemas and
   * examples would take a quarter of the processor time of each start.
   */
  checksBuiltin?: boolean;
}

/** A folder, and the real path of the library or plugin that its files must not leave. */
interface RootedFolder {
  folder: string;
  root: string;
}

const MANIFEST = 'plugin.yaml';
/** The ids of built-in workflows begin with it. No file of a library may have such an id. */
const BUILTIN_PREFIX = 'core:';
const SERVERS = 'mcp.json';

/** The number of files that are read before the event loop gets a turn. */
const AT_A_TIME = 250;

/** The last scan of a file. */
interface Known {
  /** See `stateOf`. */
  state: string | undefined;
  /** Other state that the parsed file depends on. */
  more: string;
  read: { text: string } | { fault: string };
  parsed: ParsedFile<unknown>;
}

/** Makes the content of one kind of file. Reports problems, and returns undefined if nothing can be checked. */
type Make<Content> = (source: SourceFile, report: ReportProblem) => Made<Content> | undefined;

interface Made<Content> {
  content: Content;
  /** False if the content is partial. */
  isValid: boolean;
}

/**
 * The scans of built-in plugins, by their manifest. All readers of the process share them, because the built-in plugin is the slowest part
 * of a load and belongs to the program. Its tools are made once as well: see `makeToolOnce`.
 */
const builtins = new Map<string, Known>();

/**
 * Reads the files of the libraries. A later call reads only changed files, and returns the same objects for the others.
 */
export class LibraryReader {
  private known = new Map<string, Known>();
  private seen = new Map<string, Known>();
  private readonly codes = new PluginCodes();

  constructor(private readonly where: LibraryFolders) {}

  async read(): Promise<LibraryFiles> {
    const { folders, coreDir, pluginFolders = [] } = this.where;
    const problems: LibraryProblem[] = [];
    const report: ReportProblem = (problem) => problems.push(problem);
    this.seen = new Map();
    for (const folder of folders) requireFolder(folder, report);
    const libraries = folders.map((folder) => ({ folder, root: realRootOf(folder) }));
    const lone = pluginFolders.map((folder) => ({ folder, root: realRootOf(folder) }));
    const core = { folder: coreDir, root: realRootOf(coreDir) };
    for (const { folder, root } of [...libraries, ...lone]) walkFolder(folder, { root, report });
    const plugins = [
      ...libraries.flatMap(({ folder, root }) =>
        findManifests(folder, root, report).map((file) => ({ folder: dirname(file), root })),
      ),
      ...lone.filter(
        ({ folder, root }) => isInside(join(folder, MANIFEST), root) || !existsSync(join(folder, MANIFEST)),
      ),
    ];
    const files = {
      plugins: [this.plugin(core, true), ...plugins.map((plugin) => this.plugin(plugin, false))],
      workflows: [
        ...(await this.all(libraries, 'workflows', '.json', report, () => workflow())),
        ...(await this.all([core], 'workflows', '.json', report, (folder) => workflow(folder, BUILTIN_PREFIX))),
        ...(await this.all(plugins, 'workflows', '.json', report, (folder) => workflow(folder))),
      ],
      tools: await this.all(libraries, 'tools', '.tool.json', report, (folder) => written('tool', folder)),
      agents: await this.all(libraries, 'agents', '.json', report, (folder) => written('agent_profile', folder)),
      servers: this.servers([...libraries, ...plugins]),
      problems,
    };
    this.known = this.seen;
    return files;
  }

  /** The files with an extension below a sub-folder of each folder. */
  private async all<Content>(
    folders: readonly RootedFolder[],
    sub: string,
    ending: '.json' | '.tool.json',
    report: ReportProblem,
    makeFor: (folder: string) => Make<Content>,
  ): Promise<ParsedFile<Content>[]> {
    const parsedFiles: ParsedFile<Content>[] = [];
    for (const { folder, root } of folders) {
      const make = makeFor(folder);
      for (const file of walkFolder(join(folder, sub), { root, asFile: (name) => name.endsWith(ending) })) {
        if (file.endsWith(ending)) parsedFiles.push(this.parsed(file, make));
        else reportMisnamed(file, ending, report);
        if (parsedFiles.length % AT_A_TIME === 0) await letOthersRun();
      }
    }
    return parsedFiles;
  }

  /** The `mcp.json` of each library and plugin that has one. */
  private servers(folders: readonly RootedFolder[]): ParsedFile<ServerFile>[] {
    return folders
      .map(({ folder, root }) => ({ file: join(folder, SERVERS), root }))
      .filter(({ file, root }) => isInside(file, root))
      .map(({ file }) => this.parsed(file, readServers));
  }

  /** Opens a plugin again if its manifest or code has changed. The code of the built-in plugin never changes. */
  private plugin({ folder, root }: RootedFolder, isBuiltin: boolean): ParsedFile<Plugin> {
    const isTrusted = isBuiltin && this.where.checksBuiltin !== true;
    const make: Make<Plugin> = (source, report) =>
      openPlugin(source, { root, isBuiltin, isTrusted, codes: this.codes }, report);
    const file = join(folder, MANIFEST);
    if (!isTrusted) return this.parsed(file, make, this.codes.stateOf(folder, root));
    const known = builtins.get(file);
    if (known && !this.known.has(file)) this.known.set(file, known);
    const parsed = this.parsed(file, make);
    const seen = this.seen.get(file);
    if (seen) builtins.set(file, seen);
    return parsed;
  }

  private parsed<Content>(file: string, make: Make<Content>, more = ''): ParsedFile<Content> {
    const found = this.readIfChanged(file, make, more);
    this.seen.set(file, found);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file is always read as one kind
    return found.parsed as ParsedFile<Content>;
  }

  private readIfChanged(file: string, make: Make<unknown>, more: string): Known {
    const before = this.known.get(file);
    const known = before?.more === more ? before : undefined;
    const state = stateOf(file);
    if (known && state !== undefined && known.state === state) return known;
    const read = tryToRead(file);
    if (known && JSON.stringify(known.read) === JSON.stringify(read)) return { ...known, state };
    return { state, more, read, parsed: parsedFileOf(file, read, make) };
  }
}

function tryToRead(file: string): Known['read'] {
  try {
    return { text: readText(file) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

function parsedFileOf<Content>(file: string, read: Known['read'], make: Make<Content>): ParsedFile<Content> {
  if ('fault' in read) return { file, problems: [{ file, message: `The file cannot be opened: ${read.fault}` }] };
  const source = parseSource(file, read.text);
  if ('message' in source) return { file, problems: [withoutExcerpt(source)] };
  const problems: LibraryProblem[] = [...source.problems];
  const made = make(source, (problem) => problems.push(problem));
  return { file, problems, ...(made && { [made.isValid ? 'content' : 'partial']: made.content }) };
}

/** JSON.parse quotes the text around a mistake. An `mcp.json` can have a secret there. */
function withoutExcerpt(problem: LibraryProblem): LibraryProblem {
  if (basename(problem.file) !== SERVERS) return problem;
  return { ...problem, message: problem.message.replace(/, (?:\.\.\.)?".*is not valid JSON$/s, '') };
}

function written<Kind extends 'tool' | 'agent_profile'>(
  kind: Kind,
  folder: string,
): Make<LocatedValue<FileShapes[Kind]>> {
  return (source, report) => {
    const checked = checkFile(source, kind, report);
    return checked && { content: { value: checked.value, source, folder }, isValid: checked.isValid };
  };
}

/** Makes a workflow. Its id is the `id` in the file, else the file name, behind the prefix. */
function workflow(plugin?: string, prefix = ''): Make<WorkflowFile> {
  return (source, report) => {
    const checked = checkFile(source, 'workflow', report);
    if (!checked) return undefined;
    const { value: stored, faults, isValid } = checked;
    const id = `${prefix}${stored.id ?? basename(source.file, '.json')}`;
    const content: WorkflowFile = { id, ownId: id, workflow: { ...stored, id }, source, faults };
    return { content: { ...content, ...(plugin !== undefined && { plugin }) }, isValid };
  };
}

function requireFolder(folder: string, report: ReportProblem): void {
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    report({ file: folder, message: 'The library folder does not exist' });
  } catch (error) {
    report({ file: folder, message: `The library folder cannot be opened: ${messageOf(error)}` });
  }
}

const NAME = 'plugin.yaml';

/**
 * The `plugin.yaml` of each folder in `plugins` of a library, sorted by name. `root` is the real path of the library.
 */
function findManifests(libraryFolder: string, root: string, report: ReportProblem): string[] {
  const plugins = join(libraryFolder, 'plugins');
  return namesIn(plugins, root).flatMap((name) => {
    const names = namesIn(join(plugins, name), root);
    if (names.includes(NAME)) return [join(plugins, name, NAME)];
    for (const other of names) reportMisnamed(join(plugins, name, other), NAME, report);
    return [];
  });
}

/**
 * The sorted names in a folder, without hidden names and links out of the library. Empty if the folder cannot be read.
 */
function namesIn(folder: string, root: string): string[] {
  if (!isInside(folder, root)) return [];
  try {
    return readdirSync(folder)
      .filter((name) => !isHidden(name) && isInside(join(folder, name), root))
      .toSorted();
  } catch {
    return [];
  }
}
