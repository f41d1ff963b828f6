import type { Json, JsonObject } from './json.js';
import type { Problem } from './problem.js';
import type { ErrorType } from './tool-error.js';

/** A JSON Schema 2020-12. */
export type JsonSchema = { [keyword: string]: Json };

export const LANGUAGES = ['python', 'bun', 'nodejs'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The limits of a tool's sandbox. The operator's maxima bound each of them. */
export interface Limits {
  timeoutMs?: number;
  memoryMb?: number;
  cpus?: number;
  pids?: number;
  outputKb?: number;
  tmpMb?: number;
}

/** Error types that a tool may declare as retryable. Mistakes of the caller and unknown outcomes are excluded. */
export const MENDABLE_TYPES = [
  'ServiceError',
  'TimeoutError',
  'ScriptError',
  'NodeError',
  'OutputError',
  'ResourceLimitError',
  'DependencyError',
] as const satisfies readonly ErrorType[];

/** The delay between attempts: constant, or twice as long each time up to `maxDelayMs`. */
export interface Backoff {
  type: 'fixed' | 'exponential';
  delayMs: number;
  maxDelayMs?: number;
}

/** The number and the times of attempts after a retryable failure. */
export interface RetryPolicy {
  /** The number of attempts, including the first. */
  attempts?: number;
  backoff?: Backoff;
  /** For a tool: error types that are retryable for it, in addition to those that are retryable for every tool. */
  on?: ErrorType[];
}

export interface SecurityContext {
  networkAccess?: { allowHosts?: string[] };
  fileAccess?: { allowRead?: string[]; allowWrite?: string[] };
  secrets?: string[];
}

/** The code that runs a tool. */
export type Implementation =
  | { type: 'node'; nodeType: string }
  | { type: 'workflow'; workflowId: string }
  | { type: 'service'; serviceName: string; methodName: string }
  | { type: 'script'; language: Language; scriptPath: string; entryPoint?: string; scriptsDir: string }
  | { type: 'caller-script'; language: Language }
  | { type: 'external'; timeoutMs?: number }
  | { type: 'agent'; agentId: string }
  | { type: 'mcp'; server: string; tool: string };

export const TOOL_KINDS = ['node', 'workflow', 'service', 'script', 'external', 'agent', 'mcp'] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** The interface of a tool, as callers and models see it. */
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
  /** Other names for calls, such as spellings of other APIs, or a valid XML tag for an id that is not one. */
  aliases?: string[];
}

/** How MCP clients see a tool. */
export interface McpExposure {
  /** Its name in `tools/list`; default: its alias. */
  name?: string;
  /**
   * When a call becomes a task: `never`; `auto` after a short time; `always` at once. `required`: at once, and clients without the tasks
   * extension are refused. Default: `auto`.
   */
  tasks?: 'never' | 'auto' | 'always' | 'required';
}

export interface ToolExample {
  description?: string;
  arguments: JsonObject;
}

/** What a second run does: nothing outside, no harm, or harm. A tool with `once` never runs again when its outcome is unknown. */
export type Effects = 'none' | 'idempotent' | 'once';

/** A tool with its implementation. Jobs carry the `digest` of the definition, so that an edit does not affect accepted jobs. */
export interface Tool extends ToolInterface {
  implementation: Implementation;
  /** The label that a script-runner must offer to run the script. Absent: `default`. */
  runner?: string;
  limits?: Limits;
  reuse?: 'never' | 'per-tool';
  retry?: RetryPolicy;
  effects?: Effects;
  securityContext?: SecurityContext;
  mcp?: McpExposure;
  /** The file of the definition, relative to its library; `core` for built-in tools. */
  source: string;
  digest: string;
}

/**
 * The tools as a parser needs them. The registry implements it, and so does the `tools` list of `POST /v1/parse`.
 * `find` takes an id, an alias, or an id with a version range (`core:echo@^1`).
 */
export interface ToolLookup {
  find(name: string): ToolInterface | undefined;
  /** The nearest known name to an unknown name. */
  suggest(name: string): string | undefined;
  /**
   * Fills in defaults and checks arguments. The caller has already converted their types by the schema.
   * Unknown parameters are problems unless the schema states `additionalProperties: true`. An empty list means that they are valid.
   */
  validate(tool: ToolInterface, args: JsonObject): { arguments: JsonObject; problems: Problem[] };
}
