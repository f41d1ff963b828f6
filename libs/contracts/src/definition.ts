import { createHash } from 'node:crypto';
import { canonicalJson } from './json.js';
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

/** The digest that names a definition: SHA-256 of its canonical JSON, in hex; the same on every host. */
export function digestOf(definition: Definition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}
