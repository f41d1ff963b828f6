import { randomBytes } from 'node:crypto';
import { isDeeperThan, MAX_DEPTH, ToolError, type Json, type ScriptBundle } from '@errand/contracts';
import { BOUNDS, type RunLimits } from '../limits.js';

const OUT_FOLDER = '/tmp/out';
/** In the script's own folder, whose files cannot be written. */
const IN_FOLDER = '/script/.in';
const NO_TOKEN = '0'.repeat(32);

export interface RunRequest {
  bundle: ScriptBundle;
  input: Json;
  invocationId: string;
  limits: RunLimits;
  /** What the script's environment holds beside the usual. */
  env?: Readonly<Record<string, string>>;
  /** Whether the script may open connections, which this runner then decides on. */
  tunnels?: boolean;
  /** What it may leave in its folder for files out, in all. */
  artifactBytes?: number;
}

/** A request, and the words by which its answer is known: none of them is ever in the script's process. */
export interface Request {
  bytes: Buffer;
  /** Marks where the log begins. */
  begin: string;
  /** In the answer, and at the end of the log. */
  nonce: string;
  /** In the greeting after the run, where the container is to serve another. */
  token: string | undefined;
}

/**
 * The one message that a waiting container gets for a run (the protocol is described in `runtimes/python/supervisor.py`).
 * @param again whether the container is to serve another run afterwards
 * @throws ToolError SecurityError on a bundle that would write outside its folder or has no entry, ResourceLimitError on an
 *   input that is too large or too deep
 */
export function encodeRequest(
  { bundle, input, invocationId, limits, env, tunnels, artifactBytes }: RunRequest,
  again: boolean,
): Request {
  refuseUnsafe(bundle);
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

/** 128 bits each, drawn at once. */
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
  const message = `The script's input is larger than ${BOUNDS.inputKb} KiB; hand it a part, or where to find it`;
  throw new ToolError('ResourceLimitError', message, { limit: 'inputKb', inputKb: BOUNDS.inputKb });
}

/** The script's whole environment: built, never inherited. */
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

function refuseUnsafe({ entry, files }: ScriptBundle): void {
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
