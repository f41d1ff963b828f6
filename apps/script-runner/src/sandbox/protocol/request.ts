import { randomBytes } from 'node:crypto';
import { isDeeperThan, MAX_DEPTH, ToolError, type Json, type ScriptBundle } from '@errand/contracts';
import { BOUNDS, type RunLimits } from '../limits.js';

const OUT_FOLDER = '/tmp/out';
/** It is in the folder of the script, which the script cannot write. */
const IN_FOLDER = '/script/.in';
const NO_TOKEN = '0'.repeat(32);

export interface RunRequest {
  bundle: ScriptBundle;
  input: Json;
  invocationId: string;
  limits: RunLimits;
  /** Environment variables of the script, in addition to the usual ones. */
  env?: Readonly<Record<string, string>>;
  /** Whether the script may open connections. The runner decides on each. */
  tunnels?: boolean;
  /** Maximum total size of the files that the script returns, in bytes. */
  artifactBytes?: number;
}

/** A request with its secrets, which identify the response. No secret is ever in the process of the script. */
export interface Request {
  bytes: Buffer;
  /** The line that begins the log. */
  begin: string;
  /** Part of the response, and the line that ends the log. */
  nonce: string;
  /** Part of the ready line after the run, if the container serves another run. */
  token: string | undefined;
}

/**
 * Encodes the one message that a waiting container gets for a run. `runtimes/python/supervisor.py` describes the protocol.
 * @param again whether the container serves another run afterwards
 * @throws ToolError SecurityError if the bundle would write outside its folder or has no entry, ResourceLimitError if
 *   the input is too large or too deep
 */
export function encodeRequest(
  { bundle, input, invocationId, limits, env, tunnels, artifactBytes }: RunRequest,
  again: boolean,
): Request {
  requireSafe(bundle);
  const stdin = encodeInput(input);
  const { begin, nonce, token } = secrets(again);
  const header = Buffer.from(
    JSON.stringify({
      language: bundle.language,
      entry: bundle.entry,
      files: bundle.files,
      env: { ...env, ...environment(invocationId) },
      begin,
      inputBytes: stdin.length,
      outputBytes: limits.outputKb * 1024,
      deadlineMs: limits.timeoutMs + BOUNDS.graceMs,
      cpuMs: limits.cpuMs,
      ...(tunnels && { tunnels }),
      ...(artifactBytes !== undefined && { artifactBytes }),
    }),
  );
  const length = header.length.toString(16).padStart(8, '0');
  const bytes = Buffer.concat([Buffer.from(length), header, stdin, Buffer.from(nonce + (token ?? NO_TOKEN))]);
  return { bytes, begin, nonce, token };
}

/** Three secrets of 128 bits. */
function secrets(again: boolean): Pick<Request, 'begin' | 'nonce' | 'token'> {
  const hex = randomBytes(48).toString('hex');
  return { begin: hex.slice(0, 32), nonce: hex.slice(32, 64), token: again ? hex.slice(64) : undefined };
}

function encodeInput(input: Json): Buffer {
  if (isDeeperThan(input)) {
    throw new ToolError('ResourceLimitError', `The script's input nests deeper than ${MAX_DEPTH} levels; flatten it`, {
      limit: 'inputDepth',
      inputDepth: MAX_DEPTH,
    });
  }
  const stdin = Buffer.from(JSON.stringify(input));
  if (stdin.length <= BOUNDS.inputKb * 1024) return stdin;
  const message = `The script's input is larger than ${BOUNDS.inputKb} KiB; pass a part of it, or its location`;
  throw new ToolError('ResourceLimitError', message, { limit: 'inputKb', inputKb: BOUNDS.inputKb });
}

/** The basic environment of a script. Nothing is inherited from the runner. */
function environment(invocationId: string): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/tmp',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
    ERRAND_INVOCATION_ID: invocationId,
    ERRAND_OUT: OUT_FOLDER,
    ERRAND_IN: IN_FOLDER,
  };
}

function requireSafe({ entry, files }: ScriptBundle): void {
  for (const { path } of files) {
    const parts = path.split('/');
    if (path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..')) {
      throw new ToolError(
        'SecurityError',
        `The script's file ${JSON.stringify(path)} is not a plain relative path; rename it`,
      );
    }
  }
  if (!files.some(({ path }) => path === entry)) {
    throw new ToolError('SecurityError', `The script's entry '${entry}' is not among its ${files.length} files`);
  }
}
