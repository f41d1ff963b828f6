import type { RunEnvironment } from './environment.js';
import type { Tunnel } from '../egress/index.js';
import type { Json, Limits, ScriptBundle } from '@errand/contracts';

/** One run of a script, as the sandbox is asked for it. */
export interface SandboxSpec extends RunEnvironment {
  invocationId: string;
  step: number;
  toolId: string;
  bundle: ScriptBundle;
  /** The value for the script's stdin. */
  input: Json;
  /** What the tool asks for; clamped to the operator's maxima. */
  limits: Limits;
  /** The caller's wish; it can shorten the tool's own time limit. */
  timeoutMs?: number;
  /** What the script's environment holds beside the usual. */
  env?: Readonly<Record<string, string>>;
  /** Takes the connections that the script opens; without it, it can open none. */
  connect?: (tunnel: Tunnel) => void;
  /** How many bytes of files it may hand out, in all. */
  artifactBytes?: number;
}

/** Who listens while a run goes on. */
export interface RunHooks {
  /** Its abort kills the container; the run then rejects with CancelledError, once the container is gone. */
  signal: AbortSignal;
  /** Lines of the script's stderr, a batch as they come. Control characters are left as they are: escape them where they are shown. */
  onLog(lines: string[]): void;
  /** From a stderr line `::progress 0.4 fetching`: value from 0 to 1. */
  onProgress?(value: number, message?: string): void;
  /** Which container serves it: the labels of one that waited do not say. */
  onContainer?(id: string): void;
  /** The files that it left in `$ERRAND_OUT`, as a tar archive, before the run resolves or rejects; not called where there are none. */
  onArchive?(archive: Buffer): void;
  /** What a run took that ended by itself, well or not. */
  onUsage?(usage: { peakMemoryKb: number }): void;
}
