import type { ToolStats } from './stats.js';
import type { Effects, Limits, RetryPolicy, SecurityContext, ToolInterface } from './tool.js';

/** What `details=true` adds to a tool. What its file does not declare is null. */
export interface ToolDetails {
  limits: Limits | null;
  effects: Effects | null;
  /** Whether a container serves several runs. */
  reuse: 'never' | 'per-tool' | null;
  retry: RetryPolicy | null;
  /** The label that a script-runner must offer. */
  runner: string | null;
  securityContext: SecurityContext | null;
  /** Of the definition. */
  digest: string;
}

/** What a list of tools with `details=true` also shows: the calls of the last 30 days. */
export type ToolUse = Pick<ToolStats, 'calls' | 'failed' | 'lastUsedAt'>;

/** A tool of `GET /v1/tools`. It has details with `details=true` only. */
export interface ShownTool extends ToolInterface, Partial<ToolDetails> {
  /** The file of its definition. */
  source: string;
  links: Record<string, string>;
  /** Only in a list with details. */
  stats?: ToolUse;
  /** Newest first; only in the response for one tool. */
  versions?: string[];
}
