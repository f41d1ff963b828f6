import type { JsonObject } from './json.js';
import type { Language, Tool } from './tool.js';
import type { StoredWorkflow } from './workflow.js';

/**
 * A tool with all that its run needs, frozen. It is stored once in Redis under its digest when first used and the job carries
 * the digest alone: a runner host needs no library folder, and an edit changes nothing that is in flight.
 * (Code of plugin nodes is deployed with the worker.)
 */
export interface Definition {
  tool: Tool;
  /** For a workflow tool: its workflow and every one that it refers to, by id. */
  workflows?: Record<string, StoredWorkflow>;
  /** For a script tool: its folder. Absent for `caller-script` until the path is known. */
  script?: ScriptBundle;
}

/** A script's folder as it travels: regular files only, paths relative with `/`, contents in base64. */
export interface ScriptBundle {
  language: Language;
  /** The file to run, one of `files`. */
  entry: string;
  files: { path: string; base64: string }[];
}

/** One execution of a script: what the runner is asked to do. */
export interface ScriptRun {
  invocationId: string;
  step: number;
  /** Digest of the Definition that holds the script. */
  definition: string;
  /** The JSON value for stdin. */
  input: JsonObject[string];
  /** The caller's wish; the tool's own limit and the operator's maximum also hold. */
  timeoutMs?: number;
}
