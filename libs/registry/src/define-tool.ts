import {
  digestOf,
  ToolError,
  type Definition,
  type JsonObject,
  type StoredWorkflow,
  type Tool,
} from '@errand/contracts';
import { findTemplates } from './find-templates.js';
import type { Library } from './library.js';
import { referencesOf } from './load-workflows.js';
import { locateScript, type ScriptPlace } from './locate-script.js';
import { listTravelFiles, packScript, type TravelFile } from './pack-script.js';

/** A definition and the digest that names it: SHA-256 of its canonical JSON, in hex. */
export interface DefinedTool {
  digest: string;
  definition: Definition;
}

const MAX_REMEMBERED = 64;

/** Packs tools with what their runs need. What was packed before and has not changed since is not packed again. */
export class ToolDefiner {
  private readonly simple = new WeakMap<Tool, DefinedTool>();
  private readonly scripts = new Map<string, { state: string; defined: DefinedTool }>();

  /**
   * @throws ToolError SecurityError, ScriptError or ResourceLimitError for a script that may not or cannot travel
   */
  async define(library: Library, tool: Tool, args?: JsonObject): Promise<DefinedTool> {
    const place = placeOfScript(library, tool, args);
    if (place) return this.defineScript(tool, place);
    let defined = this.simple.get(tool);
    if (!defined) {
      defined = digested({ tool, ...workflowsOf(tool, library.workflows) });
      this.simple.set(tool, defined);
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
  return digested({ tool, script: await packScript(place, files, implementation.language) });
}

function placeOfScript(library: Library, tool: Tool, args?: JsonObject): ScriptPlace | undefined {
  const { implementation } = tool;
  if (implementation.type === 'script') {
    const folder = library.scriptFolders.get(tool);
    return locateScript(folder === undefined ? [] : [folder], implementation.scriptPath, implementation.entryPoint);
  }
  if (implementation.type !== 'caller-script') return undefined;
  const path = args?.scriptPath;
  const isKnown = typeof path === 'string' && findTemplates(path).size === 0;
  return isKnown ? locateScript(library.callerScriptFolders, path) : undefined;
}

function workflowsOf(
  { implementation }: Tool,
  known: ReadonlyMap<string, StoredWorkflow>,
): { workflows?: Record<string, StoredWorkflow> } {
  if (implementation.type !== 'workflow') return {};
  const workflows = new Map<string, StoredWorkflow>();
  const open = [implementation.workflowId];
  for (const id of open) {
    const workflow = known.get(id);
    if (!workflow || workflows.has(id)) continue;
    workflows.set(id, workflow);
    open.push(...referencesOf(workflow));
  }
  return { workflows: Object.fromEntries(workflows) };
}

function digested(definition: Definition): DefinedTool {
  return { digest: digestOf(definition), definition };
}
