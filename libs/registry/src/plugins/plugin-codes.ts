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
/** Folders of a plugin that hold no code of its nodes. */
const OTHERS = ['scripts', 'workflows'];

/** So many faults of a plugin are told. */
const MAX_FAULTS = 5;

interface Loaded {
  state: string;
  entry: string;
  code: PluginCode;
}

/** The code of a plugin as it is now. */
export interface Current {
  code: PluginCode;
  /** It is older than its files: an ES module stays in the process that has loaded it once. */
  isStale: boolean;
  /** What it has thrown since it was loaded, where nobody catches it. */
  uncaughtErrors: readonly string[];
}

/** The code of plugins, which is loaded again when one of its files has changed. */
export class PluginCodes {
  private readonly digests = new Map<string, { state: string; digest: string }>();
  private readonly loaded = new Map<string, Loaded>();
  private readonly uncaughtErrors = new Map<string, string[]>();

  /** What changes when there is something new to say of the code. */
  stateOf(folder: string, root: string): string {
    return [this.filesOf(folder, root), ...(this.uncaughtErrors.get(folder) ?? [])].join('\n');
  }

  /** @throws Error saying what is wrong with the code, or whatever it throws itself */
  load(place: CodeLocation): Current {
    const { folder, entry, root } = place;
    const state = this.filesOf(folder, root);
    const known = this.loaded.get(folder);
    const uncaughtErrors = this.uncaughtErrors.get(folder) ?? this.listen(folder);
    if (known && known.state === state && known.entry === entry)
      return { code: known.code, isStale: false, uncaughtErrors };
    uncaughtErrors.length = 0;
    const [fault] = codeIn(folder, root).faults;
    if (fault !== undefined) throw new Error(fault);
    dropFromRequireCache(folder);
    const code = loadCode(place);
    const isStale = known !== undefined && known.entry === entry && types.isModuleNamespaceObject(code.module);
    this.loaded.set(folder, { state, entry, code });
    return { code, isStale, uncaughtErrors };
  }

  /** The list that what the code throws later will be in. */
  private listen(folder: string): string[] {
    const faults: string[] = [];
    listenForUncaughtErrors(realpathSync.native(folder), (thrown) => {
      const fault = describeFault(folder, thrown);
      if (faults.length < MAX_FAULTS && !faults.includes(fault)) faults.push(fault);
    });
    this.uncaughtErrors.set(folder, faults);
    return faults;
  }

  /** What changes when a file of the code does: the names of all files with the digests of their contents. */
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
 * The files of a plugin's code, relative to its folder, and what must not be among them: links that are not followed, pipes, devices.
 * Code that reads through such a link would quote the content of a foreign file in its errors; a pipe would block the process.
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

/** The first line of what was thrown, and where in the plugin that was: `no dice (nodes/index.js:3)`. */
export function describeFault(folder: string, thrown: unknown): string {
  const [said] = messageOf(thrown).split('\n', 1);
  const [, ...inPlugin] = stackOf(thrown).split(realpathSync.native(folder) + sep);
  const place = inPlugin.map((text) => /^[^\n):]+:\d+/.exec(text)?.[0]).find((found) => found !== undefined);
  return place === undefined ? `${said}` : `${said} (${place})`;
}

/** Lets `require` read the modules of a folder anew; those of packages installed in it stay. */
function dropFromRequireCache(folder: string): void {
  const root = realpathSync.native(folder) + sep;
  for (const [path, module] of Object.entries(require.cache)) {
    if (!path.startsWith(root) || path.slice(root.length).split(sep).includes('node_modules')) continue;
    delete require.cache[path];
    for (const other of Object.values(require.cache)) {
      if (module && other?.children.includes(module)) other.children.splice(other.children.indexOf(module), 1);
    }
  }
}

type Listener = (thrown: unknown) => void;

/** Who hears of faults, by the real path of the folder whose code is at fault. */
const listeners = new Map<string, Set<Listener>>();

/**
 * Code may throw when it is loaded already: in a timer, or in a promise that nobody waits for. That would end the process. From now on
 * it is told to `hear` instead where the stack leads into `folder`; anything else ends the process as ever.
 */
export function listenForUncaughtErrors(folder: string, listen: Listener): void {
  if (listeners.size === 0) {
    process.on('uncaughtException', (thrown) => {
      if (!notifyListeners(thrown) && process.listenerCount('uncaughtException') === 1) end(thrown);
    });
    process.on('unhandledRejection', (thrown) => {
      if (!notifyListeners(thrown) && process.listenerCount('unhandledRejection') === 1) end(thrown);
    });
  }
  listeners.set(folder, (listeners.get(folder) ?? new Set()).add(listen));
}

function notifyListeners(thrown: unknown): boolean {
  const stack = stackOf(thrown);
  const [, listen] = [...listeners].find(([folder]) => stack.includes(folder + sep)) ?? [];
  if (!listen) return false;
  console.error('Uncaught in the code of a plugin', thrown);
  for (const each of listen) each(thrown);
  return true;
}

/** What Node.js does where nobody listens. */
function end(thrown: unknown): never {
  console.error('Uncaught', thrown);
  process.exit(1);
}
