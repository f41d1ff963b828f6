import type { JsonSchema, Tool } from './tool.js';

/** A server in `mcp.json`: an address, or a command that a worker runs. `${NAME}` in `headers` and `env` is a secret of the operator. */
export interface RemoteServer {
  name: string;
  url?: string;
  headers?: Record<string, string>;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Globs of the tools that are used. Absent: all. */
  tools?: string[];
  /** The time limit of a call, in ms. */
  timeoutMs?: number;
  /** By glob: replaces what the server says about a second run of its tools. The first match counts. */
  effects?: Record<string, NonNullable<Tool['effects']>>;
  tags?: string[];
  /** The path of its `mcp.json`. */
  file: string;
}

/** A tool as another server lists it. */
export interface RemoteTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  /** Set if the server says so. */
  readOnly?: boolean;
  idempotent?: boolean;
}

/** What is known about the tools of a server. All processes share it. */
export interface RemoteList {
  /** Those of the last successful list; undefined before the first one. */
  tools?: readonly RemoteTool[];
  /** Why the server cannot be listed at present, and since when (ISO 8601). */
  away?: { reason: string; since: string };
  /** The parts of the last list that were left out, one sentence each. */
  leftOut?: readonly string[];
}
