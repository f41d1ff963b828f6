import { createHash } from 'node:crypto';
import { canonicalJson } from './json.js';
import type { AgentDefinition } from './agent.js';
import type { Language, Tool } from './tool.js';
import type { StoredWorkflow } from './workflow.js';

/**
 * A tool with everything that its run needs. It never changes. The first use stores it in Redis under its digest, and jobs carry only
 * the digest. A runner host therefore needs no library folder, and an edit does not affect accepted jobs.
 * The code of plugin nodes is not part of it: it is deployed with the worker.
 */
export interface Definition {
  tool: Tool;
  /** For a workflow tool: its workflow and all workflows that it refers to, by id. */
  workflows?: Record<string, StoredWorkflow>;
  /** For a script tool: the folder of its script. Absent for `caller-script` until the path is known. */
  script?: ScriptBundle;
  /** For an agent. `workflows` has its deliberation workflow. */
  agent?: AgentDefinition;
}

/** The folder of a script: regular files only. Paths are relative, with `/`; contents are in base64. */
export interface ScriptBundle {
  language: Language;
  /** The file to run, one of `files`. */
  entry: string;
  files: { path: string; base64: string }[];
}

/** The digest of a definition: SHA-256 of its canonical JSON, in hex. It is the same on every host. */
export function digestOf(definition: Definition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}
