import { ToolError, type Json, type ScriptBundle } from '@errand/contracts';
import { BOUNDS, type RunLimits } from './limits.js';

const OUT_FOLDER = '/tmp/out';

export interface RunRequest {
  bundle: ScriptBundle;
  input: Json;
  invocationId: string;
  limits: RunLimits;
  /** Unguessable; marks the end of the log. */
  nonce: string;
}

/**
 * The one message that a waiting container gets: a line of JSON, then the bytes of the script's stdin
 * (the protocol is described in `runtimes/python/shim.py`).
 * @throws ToolError SecurityError on a bundle that would write outside its folder or has no entry
 */
export function encodeRequest({ bundle, input, invocationId, limits, nonce }: RunRequest): Buffer {
  refuseUnsafe(bundle);
  const stdin = Buffer.from(JSON.stringify(input));
  const header = {
    nonce,
    language: bundle.language,
    entry: bundle.entry,
    files: bundle.files,
    env: environment(invocationId),
    inputBytes: stdin.length,
    outputBytes: limits.outputKb * 1024,
    deadlineMs: limits.timeoutMs + BOUNDS.graceMs,
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), stdin]);
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
