import {
  digestOf,
  own,
  ToolError,
  type Definition,
  type JsonObject,
  type ScriptBundle,
  type StoredWorkflow,
  type Tool,
} from '@errand/contracts';
import { LRUCache } from 'lru-cache';
import { callingScript } from '../plugins/call-function.js';
import type { Library } from '../load/library.js';
import { locateScript, type ScriptLocation } from '../load/locate-script.js';
import { listTravelFiles, packFiles } from './pack-script.js';
import { referencesOf } from './references-of.js';

/** A definition and its digest: SHA-256 of its canonical JSON, in hex. */
export interface DefinedTool {
  digest: string;
  definition: Definition;
}

const SCRIPTS = 1_000;
/** Each has at most 4 MB. Scripts of one folder share its files. */
const FOLDERS = 64;

/** Makes the definitions of the tools of a library. An unchanged definition is not made again. */
export class ToolDefiner {
  private readonly simple = new Map<string, DefinedTool>();
  private readonly scripts = new RecentValues<DefinedTool>(SCRIPTS);
  private readonly folders = new RecentValues<ScriptBundle['files']>(FOLDERS);

  constructor(private readonly library: Library) {}

  /**
   * @throws ToolError SecurityError, ScriptError or ResourceLimitError for a script that must not or cannot be packed
   */
  async define(tool: Tool, args?: JsonObject): Promise<DefinedTool> {
    const location = locationOfScript(this.library, tool, args);
    if (location) return this.defineScript(tool, location);
    const root = workflowOf(tool, this.library, args);
    const key = JSON.stringify([tool.digest, root]);
    let defined = this.simple.get(key);
    if (!defined) {
      defined = digested({ tool, ...(root !== undefined && { workflows: workflowsFrom(root, this.library) }) });
      this.simple.set(key, defined);
    }
    return defined;
  }

  /** The names of the files in the bundle of the script; empty for a tool without its own script. */
  scriptFiles(tool: Tool): string[] {
    const location = locationOfScript(this.library, tool);
    return location ? listTravelFiles(location).map(({ path }) => path) : [];
  }

  /** Makes the definition of a script. It changes with the names, sizes and times of the files. */
  private defineScript(tool: Tool, location: ScriptLocation): Promise<DefinedTool> {
    const files = listTravelFiles(location);
    const state = JSON.stringify(files);
    return this.scripts.get(JSON.stringify([tool.digest, location.folder, location.entry]), state, async () =>
      definedScript(
        tool,
        location,
        await this.folders.get(`${location.folder} ${location.deep}`, state, () => packFiles(files)),
      ),
    );
  }
}

function definedScript(tool: Tool, location: ScriptLocation, files: ScriptBundle['files']): DefinedTool {
  const { implementation } = tool;
  if (!('language' in implementation)) throw new ToolError('ScriptError', `${tool.toolId} is not a script`);
  const { language } = implementation;
  if (location.calls === undefined) return digested({ tool, script: { language, entry: location.entry, files } });
  const called = { file: location.entry, name: location.calls };
  const { path, text } = callingScript(language, called, tool.parameters);
  const calling = { path, base64: Buffer.from(text).toString('base64') };
  return digested({ tool, script: { language, entry: path, files: [...files, calling] } });
}

function locationOfScript(library: Library, tool: Tool, args?: JsonObject): ScriptLocation | undefined {
  const { implementation } = tool;
  if (implementation.type === 'script') {
    const folder = library.scriptFolders.get(tool);
    return locateScript(folder === undefined ? [] : [folder], implementation.scriptPath, implementation.entryPoint);
  }
  if (implementation.type !== 'caller-script') return undefined;
  const path = args?.scriptPath;
  return typeof path === 'string' ? locateScript(library.callerScriptFolders, path) : undefined;
}

/** The workflow that a tool runs: its own, or the one that a call names in `workflowInput` of a node. */
function workflowOf(
  { implementation }: Tool,
  { nodeTypes, workflows }: Library,
  args?: JsonObject,
): string | undefined {
  if (implementation.type === 'workflow') return implementation.workflowId;
  const slot = implementation.type === 'node' ? nodeTypes.get(implementation.nodeType)?.workflowInput : undefined;
  const id = slot === undefined ? undefined : own(args, slot);
  return typeof id === 'string' && workflows.has(id) ? id : undefined;
}

/** A workflow and all workflows that it runs, by id. */
function workflowsFrom(root: string, { workflows, nodeTypes }: Library): Record<string, StoredWorkflow> {
  const found = new Map<string, StoredWorkflow>();
  const open = [root];
  for (const id of open) {
    const workflow = workflows.get(id);
    if (!workflow || found.has(id)) continue;
    found.set(id, workflow);
    open.push(...referencesOf(workflow, nodeTypes).map((reference) => reference.id));
  }
  return Object.fromEntries(found);
}

function digested(definition: Definition): DefinedTool {
  return { digest: digestOf(definition), definition };
}

/** The last `max` values that were used, by key. A value is made again when the state that it was made from has changed. */
export class RecentValues<T> {
  private readonly made: LRUCache<string, { state: string; value: Promise<T> }>;

  constructor(max: number) {
    this.made = new LRUCache({ max });
  }

  /** Callers that ask at the same time share one promise. A promise that rejects is not kept. */
  get(key: string, state: string, make: () => Promise<T>): Promise<T> {
    const known = this.made.get(key);
    if (known?.state === state) return known.value;
    const value = make();
    this.made.set(key, { state, value });
    value.catch(() => this.made.peek(key)?.value === value && this.made.delete(key));
    return value;
  }
}
