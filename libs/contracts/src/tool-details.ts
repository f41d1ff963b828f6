import type { ToolStats } from './stats.js';
import type { Effects, Limits, RetryPolicy, SecurityContext } from './tool.js';

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
