import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { types } from 'node:util';
import type { ReportProblem } from '../files/library-problem.js';
import { loadCode, type CodeLocation, type PluginCode } from './load-code.js';
import { stateOf } from '../files/read-text.js';
import { messageOf, stackOf } from './thrown-values.js';
import { walkFolder } from '../files/walk-folder.js';

const CODE = /\.(?:[cm]?[jt]s|json|node)$/;
/** Folders of a plugin without code of nodes. */
const OTHERS = ['scripts', 'workflows'];

/** The maximum number of reported errors of a plugin. */
const MAX_FAULTS = 5;

interface Loaded {
  state: string;
  entry: string;
  code: PluginCode;
}

/** The current code of a plugin. */
interface Current {
  code: PluginCode;
  /** Whether the code is older than its files. A process can load an ES module only once. */
  isStale: boolean;
  /** The uncaught errors since it was loaded. */
  uncaughtErrors: readonly string[];
}

/** Loads the code of plugins, and loads it again after a change of its files. */
export class PluginCodes {
  private readonly digests = new Map<string, { state: string; digest: string }>();
  private readonly loaded = new Map<string, Loaded>();
  private readonly uncaughtErrors = new Map<string, string[]>();

  /** A key that changes with the code and its uncaught errors. */
  stateOf(folder: string, root: string): string {
    return [this.filesOf(folder, root), ...(this.uncaughtErrors.get(folder) ?? [])].join('\n');
  }

  /** @throws Error that describes a problem of the code, or any error of the code itself */
  load(location: CodeLocation): Current {
    const { folder, entry, root } = location;
    const state = this.filesOf(folder, root);
    const known = this.loaded.get(folder);
    const uncaughtErrors = this.uncaughtErrors.get(folder) ?? this.listen(folder);
    if (known && known.state === state && known.entry === entry)
      return { code: known.code, isStale: false, uncaughtErrors };
    uncaughtErrors.length = 0;
    const [fault] = codeIn(folder, root).faults;
    if (fault !== undefined) throw new Error(fault);
    dropFromRequireCache(folder);
    const code = loadCode(location);
    const isStale = known !== undefined && known.entry === entry && types.isModuleNamespaceObject(code.module);
    this.loaded.set(folder, { state, entry, code });
    return { code, isStale, uncaughtErrors };
  }

  /** Starts a list that collects later uncaught errors of the code. */
  private listen(folder: string): string[] {
    const faults: string[] = [];
    listenForUncaughtErrors(realpathSync.native(folder), (thrown) => {
      const fault = describeFault(folder, thrown);
      if (faults.length < MAX_FAULTS && !faults.includes(fault)) faults.push(fault);
    });
    this.uncaughtErrors.set(folder, faults);
    return faults;
  }

  /** The names of all code files with the digests of their contents. */
  private filesOf(folder: string, root: string): string {
    const { files, faults } = codeIn(folder, root);
    return [...files.map((path) => `${path} ${this.digestOf(join(folder, path))}`), ...faults].join('\n');
  }

  private digestOf(file: string): string {
    const state = stateOf(file);
    const known = this.digests.get(file);
    if (known && known.state === state) return known.digest;
    const digest = createHash('sha256').update(readFileSync(file)).digest('base64');
    if (state !== undefined) this.digests.set(file, { state, digest });
    return digest;
  }
}

/**
 * The code files of a plugin, relative to its folder, and the forbidden ones: links that are not followed, pipes,
 * devices. Through such a link, code could quote a foreign file in its errors. A pipe would block the process.
 */
function codeIn(folder: string, root: string): { files: string[]; faults: string[] } {
  const faults: string[] = [];
  const pathOf = (file: string) => relative(folder, file);
  const isOfNodes = (path: string) => !OTHERS.includes(path.split(sep, 1)[0]!);
  const report: ReportProblem = ({ file, message }) => {
    const path = pathOf(file);
    if (isOfNodes(path) && (CODE.test(path) || isA('Directory', file))) faults.push(`${path}: ${message}`);
  };
  const files = walkFolder(folder, { root, report }).filter((file) => CODE.test(file) && isOfNodes(pathOf(file)));
  const [regular, others] = [files.filter((file) => isA('File', file)), files.filter((file) => !isA('File', file))];
  faults.push(...others.map((file) => `${pathOf(file)} is not a regular file`));
  return { files: regular.map(pathOf), faults };
}

function isA(kind: 'File' | 'Directory', path: string): boolean {
  try {
    return statSync(path)[`is${kind}`]();
  } catch {
    return false;
  }
}

/** The first line of an error, and its position in the plugin: `no dice (nodes/index.js:3)`. */
export function describeFault(folder: string, thrown: unknown): string {
  const [message] = messageOf(thrown).split('\n', 1);
  const [, ...inPlugin] = stackOf(thrown).split(realpathSync.native(folder) + sep);
  const location = inPlugin.map((text) => /^[^\n):]+:\d+/.exec(text)?.[0]).find((found) => found !== undefined);
  return location === undefined ? `${message}` : `${message} (${location})`;
}

/** Removes the modules of a folder from the cache of `require`. Installed packages stay. */
function dropFromRequireCache(folder: string): void {
  const root = realpathSync.native(folder) + sep;
  const dropped = new Set<NodeModule>();
  for (const [path, module] of Object.entries(require.cache)) {
    if (!path.startsWith(root) || path.slice(root.length).split(sep).includes('node_modules')) continue;
    delete require.cache[path];
    if (module) dropped.add(module);
  }
  if (dropped.size === 0) return;
  for (const other of Object.values(require.cache))
    if (other?.children.some((child) => dropped.has(child)))
      other.children = other.children.filter((child) => !dropped.has(child));
}

type Listener = (thrown: unknown) => void;

/** Listeners by the real path of the plugin folder. */
const listeners = new Map<string, Set<Listener>>();

/**
 * Registers a listener for uncaught errors whose stack contains `folder`. Code can throw after it was loaded, in a
 * timer or in an unhandled promise, and this would end the process. Other uncaught errors end the process as before.
 */
function listenForUncaughtErrors(folder: string, listen: Listener): void {
  if (!process.listeners('uncaughtException').includes(onException)) {
    process.on('uncaughtException', onException);
    process.on('unhandledRejection', onRejection);
  }
  listeners.set(folder, (listeners.get(folder) ?? new Set()).add(listen));
}

function onException(thrown: unknown): void {
  if (!notifyListeners(thrown) && process.listenerCount('uncaughtException') === 1) end(thrown);
}

function onRejection(thrown: unknown): void {
  if (!notifyListeners(thrown) && process.listenerCount('unhandledRejection') === 1) end(thrown);
}

function notifyListeners(thrown: unknown): boolean {
  const stack = stackOf(thrown);
  const [, listen] = [...listeners].find(([folder]) => stack.includes(folder + sep)) ?? [];
  if (!listen) return false;
  console.error('Uncaught in the code of a plugin', thrown);
  for (const each of listen) each(thrown);
  return true;
}

/** The default behaviour of Node.js. */
function end(thrown: unknown): never {
  console.error('Uncaught', thrown);
  process.exit(1);
}
