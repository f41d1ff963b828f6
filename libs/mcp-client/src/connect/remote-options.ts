import type { Json } from '@errand/contracts';

/** Removes secrets from what comes from a server. */
export interface Mask {
  text: (text: string) => string;
  json: (value: Json) => Json;
}

/** What the process gives to this package. */
export interface RemoteOptions {
  /** A `fetch` that connects only to allowed addresses and bounds each response. */
  createFetch: (limits: { timeoutMs: number; maxBytes: number }) => typeof globalThis.fetch;
  /**
   * The secrets that a server may have, by name.
   * @throws ToolError SecurityError
   */
  readSecrets: (server: string, names: readonly string[]) => Promise<Record<string, string>>;
  maskSecrets: (secrets: Readonly<Record<string, string>>) => Mask;
  /** Whether the operator allows servers that are commands. */
  allowCommands: boolean;
  /** The version of Errand that servers see. */
  version: string;
}

/** The largest response, and the largest message of a command, in bytes. */
export const MAX_BYTES = 10 * 1024 ** 2;
/** The time limit of a call without `timeoutMs`. */
export const DEFAULT_TIMEOUT_MS = 300_000;
/** The time limit of a handshake and of a short request. */
export const CONNECT_MS = 15_000;
