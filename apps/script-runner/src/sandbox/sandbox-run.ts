import type { Json, Limits, ScriptBundle } from '@errand/contracts';
import type { Tunnel } from '../egress/index.js';
import type { RunEnvironment } from './environment.js';

/** One run of a script, as the caller of the sandbox specifies it. */
export interface SandboxSpec extends RunEnvironment {
  invocationId: string;
  step: number;
  toolId: string;
  bundle: ScriptBundle;
  /** The value for the script's stdin. */
  input: Json;
  /** The limits of the tool; the operator's maxima bound them. */
  limits: Limits;
  /** The time limit of the caller. It can shorten the time limit of the tool. */
  timeoutMs?: number;
  /** Environment variables of the script, in addition to the usual ones. */
  env?: Readonly<Record<string, string>>;
  /** Accepts the connections that the script opens. Without it, the script can open none. */
  connect?: (tunnel: Tunnel) => void;
  /** Maximum total size of the files that the script returns, in bytes. */
  artifactBytes?: number;
}

/** The hooks of a run. */
export interface RunHooks {
  /** An abort kills the container. The run rejects with CancelledError when the container is gone. */
  signal: AbortSignal;
  /** Receives lines of the script's stderr in batches. Control characters are not escaped. */
  onLog(lines: string[]): void;
  /** Receives the progress of a stderr line `::progress 0.4 fetching`: a value from 0 to 1. */
  onProgress?(value: number, message?: string): void;
  /** Receives the id of the container. The labels of a container from the pool do not name the run. */
  onContainer?(id: string): void;
  /**
   * Receives the files that the script left in `$ERRAND_OUT`, as a tar archive, before the run resolves or rejects. It is
   * not called if there are none.
   */
  onArchive?(archive: Buffer): void;
  /** Receives the resource usage of a run that ended by itself, successful or not. */
  onUsage?(usage: { peakMemoryKb: number }): void;
}
