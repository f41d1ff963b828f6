import {
  digestOf,
  own,
  ToolError,
  type Definition,
  type JsonObject,
  type StoredWorkflow,
  type Tool,
} from '@errand/contracts';
import { callingScript } from './call-function.js';
import type { Library } from './library.js';
import { locateScript, type ScriptPlace } from './locate-script.js';
import { listTravelFiles, packScript, type TravelFile } from './pack-script.js';
import { referencesOf } from './references-of.js';

/** A definition and the digest that names it: SHA-256 of its canonical JSON, in hex. */
export interface DefinedTool {
  digest: string;
  definition: Definition;
}

const MAX_REMEMBERED = 64;

/** A path that is the result of an earlier call is not known yet. */
const TEMPLATE = /\{\{\s*(?:steps\s*[.[]|job\s*:)/;

/** Packs the tools of a library with what their runs need. What was packed before and has not changed since is not packed again. */
export class ToolDefiner {
  private readonly simple = new Map<string, DefinedTool>();
  private readonly scripts = new Map<string, { state: string; defined: DefinedTool }>();

  constructor(private readonly library: Library) {}

  /**
   * @throws ToolError SecurityError, ScriptError or ResourceLimitError for a script that may not or cannot travel
   */
  async define(tool: Tool, args?: JsonObject): Promise<DefinedTool> {
    const place = placeOfScript(this.library, tool, args);
    if (place) return this.defineScript(tool, place);
    const root = workflowOf(tool, this.library, args);
    const key = JSON.stringify([tool.digest, root]);
    let defined = this.simple.get(key);
    if (!defined) {
      defined = digested({ tool, ...(root !== undefined && { workflows: workflowsFrom(root, this.library) }) });
      this.simple.set(key, defined);
    }
    return defined;
  }

  /** Names, sizes and times of the files tell whether a script has changed. */
  private async defineScript(tool: Tool, place: ScriptPlace): Promise<DefinedTool> {
    const files = listTravelFiles(place);
    const key = JSON.stringify([tool.digest, place.folder, place.entry]);
    const state = JSON.stringify(files);
    const known = this.scripts.get(key);
    this.scripts.delete(key);
    const defined = known?.state === state ? known.defined : await definedScript(tool, place, files);
    this.scripts.set(key, { state, defined });
    if (this.scripts.size > MAX_REMEMBERED) this.scripts.delete(this.scripts.keys().next().value!);
    return defined;
  }
}

async function definedScript(tool: Tool, place: ScriptPlace, files: readonly TravelFile[]): Promise<DefinedTool> {
  const { implementation } = tool;
  if (!('language' in implementation)) throw new ToolError('ScriptError', `${tool.toolId} is no script`);
  const script = await packScript(place, files, implementation.language);
  if (place.calls === undefined) return digested({ tool, script });
  const called = { file: place.entry, name: place.calls };
  const { path, text } = callingScript(implementation.language, called, tool.parameters);
  const calling = { path, base64: Buffer.from(text).toString('base64') };
  return digested({ tool, script: { ...script, entry: path, files: [...script.files, calling] } });
}

function placeOfScript(library: Library, tool: Tool, args?: JsonObject): ScriptPlace | undefined {
  const { implementation } = tool;
  if (implementation.type === 'script') {
    const folder = library.scriptFolders.get(tool);
    return locateScript(folder === undefined ? [] : [folder], implementation.scriptPath, implementation.entryPoint);
  }
  if (implementation.type !== 'caller-script') return undefined;
  const path = args?.scriptPath;
  const isKnown = typeof path === 'string' && !TEMPLATE.test(path);
  return isKnown ? locateScript(library.callerScriptFolders, path) : undefined;
}

/** The workflow that a tool runs: its own, or the one that a call names in the input of a node that runs workflows. */
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

/** A workflow and all that it runs, by id. */
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
