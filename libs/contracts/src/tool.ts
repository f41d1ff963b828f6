import type { Json, JsonObject } from './json.js';
import type { Problem } from './problem.js';
import type { ErrorType } from './tool-error.js';

/** A JSON Schema 2020-12, as data. */
export type JsonSchema = { [keyword: string]: Json };

export const LANGUAGES = ['python', 'bun', 'nodejs'] as const;
export type Language = (typeof LANGUAGES)[number];

/** What a tool may ask of its sandbox. Each is clamped to the operator's maxima. */
export interface Limits {
  timeoutMs?: number;
  memoryMb?: number;
  cpus?: number;
  pids?: number;
  outputKb?: number;
  tmpMb?: number;
}

/** Failures that a tool may say a retry mends. What the caller did wrong, or what nobody knows the outcome of, is not among them. */
export const MENDABLE_TYPES = [
  'ServiceError',
  'TimeoutError',
  'ScriptError',
  'NodeError',
  'OutputError',
  'ResourceLimitError',
  'DependencyError',
] as const satisfies readonly ErrorType[];

/** How long to wait between tries: as long each time, or twice as long each time, `maxDelayMs` at the most. */
export interface Backoff {
  type: 'fixed' | 'exponential';
  delayMs: number;
  maxDelayMs?: number;
}

/** How often and when a failure that a retry may mend is tried again. */
export interface RetryPolicy {
  /** The first among them. */
  attempts?: number;
  backoff?: Backoff;
  /** Of a tool: failures of its own that a retry may mend, beside those that it may mend of any tool. */
  on?: ErrorType[];
}

export interface SecurityContext {
  networkAccess?: { allowHosts?: string[] };
  fileAccess?: { allowRead?: string[]; allowWrite?: string[] };
  secrets?: string[];
}

/** What stands behind a tool. */
export type Implementation =
  | { type: 'node'; nodeType: string }
  | { type: 'workflow'; workflowId: string }
  | { type: 'service'; serviceName: string; methodName: string }
  | { type: 'script'; language: Language; scriptPath: string; entryPoint?: string; scriptsDir: string }
  | { type: 'caller-script'; language: Language }
  | { type: 'external'; timeoutMs?: number };

export type ToolKind = 'node' | 'workflow' | 'service' | 'script' | 'external';

/** The tool as callers and models see it: the interface alone. */
export interface ToolInterface {
  toolId: string;
  version: string;
  displayName: string;
  description: string;
  kind: ToolKind;
  /** Always an object schema. */
  parameters: JsonSchema;
  output?: JsonSchema;
  examples?: ToolExample[];
  tags: string[];
  deprecated?: boolean | string;
  /** Further names under which a call reaches it (an id that is no XML tag, other APIs' spellings). */
  aliases?: string[];
}

export interface ToolExample {
  description?: string;
  arguments: JsonObject;
}

/** A tool with what runs it. `digest` names this very definition: it travels with the job, so that an edit changes nothing in flight. */
export interface Tool extends ToolInterface {
  implementation: Implementation;
  /** The label that a script-runner must offer to run its script; absent: `default`. */
  runner?: string;
  limits?: Limits;
  reuse?: 'never' | 'per-tool';
  retry?: RetryPolicy;
  effects?: 'none' | 'idempotent' | 'once';
  securityContext?: SecurityContext;
  /** The file that defines it, relative to its library; `core` for built-in tools. */
  source: string;
  digest: string;
}

/**
 * What a parser has to know about the tools: the registry is one, and so is the `tools` list of `POST /v1/parse`.
 * `find` takes an id, an alias, or an id with a version range (`core:echo@^1`).
 */
export interface ToolBook {
  find(name: string): ToolInterface | undefined;
  /** The nearest known name to one that `find` does not know. */
  suggest(name: string): string | undefined;
  /**
   * Fills in defaults and checks arguments whose types were already read by the schema.
   * Unknown parameters are problems unless the schema says `additionalProperties: true`. An empty list: valid.
   */
  validate(tool: ToolInterface, args: JsonObject): { arguments: JsonObject; problems: Problem[] };
}
