import { ToolError, type Limits } from '@errand/contracts';

/** The resolved limits of a run. Only the operator sets the CPU time of the script and all its children. */
export type RunLimits = Required<Limits> & { cpuMs: number };

/** The limits of a tool that sets none. Its CPU time is the operator's maximum. */
export const DEFAULT_LIMITS: Readonly<RunLimits> = {
  timeoutMs: 60_000,
  memoryMb: 256,
  cpus: 1,
  pids: 64,
  outputKb: 1024,
  tmpMb: 32,
  cpuMs: 600_000,
};

/** The supervisor needs this much. A lower limit is raised to it. */
const MINIMA: Readonly<Required<Limits>> = { timeoutMs: 1, memoryMb: 32, cpus: 0.05, pids: 16, outputKb: 1, tmpMb: 1 };

/** Bounds that no tool can change. */
export const BOUNDS = {
  /** For the creation and start of a container, until its supervisor is ready. */
  bootMs: 30_000,
  /** The supervisor enforces the deadline this much later than the runner, in case the runner does not. */
  graceMs: 2_000,
  /** For a sandbox to end by itself, or to be clean, after its response. */
  releaseMs: 2_000,
  /** For the Docker engine to confirm that a container is gone. */
  destroyMs: 20_000,
  /** Maximum size of a script's stdin. */
  inputKb: 8 * 1024,
  /** Log that is kept. Further lines are only counted. */
  logKeptBytes: 64 * 1024,
  /** Log that ends a run. Lines count too, because an empty line costs nearly as much as a full one. */
  logFloodBytes: 8 * 1024 * 1024,
  logFloodLines: 400_000,
  logLineBytes: 8 * 1024,
  /** The end of the log in the details of an error. */
  tailLines: 20,
  tailLineCharacters: 500,
  /** Maximum runs of a reusable container, its maximum age, and its maximum wait for the next run. */
  reuseRuns: 500,
  reuseMs: 600_000,
  reuseIdleMs: 60_000,
  fileMb: 32,
  /** Maximum number of files that a script returns. The supervisors enforce it. */
  artifacts: 256,
  artifactDepth: 32,
  openFiles: 256,
  /** Bounds of installers. */
  installedFileMb: 2048,
  installedOpenFiles: 4096,
  scriptMb: 64,
  inodes: 4096,
} as const;

/** The limits of an installer of packages. */
export const BUILD_LIMITS: Readonly<RunLimits> = {
  timeoutMs: 600_000,
  cpuMs: 600_000,
  memoryMb: 2048,
  cpus: 2,
  pids: 256,
  outputKb: 64,
  tmpMb: 1024,
};

/**
 * Returns the limits of one run: the limits of the tool, else the defaults, never more than the operator's maxima.
 * @param callerTimeoutMs the caller's time limit. It may shorten the time limit of the tool, but not lengthen it.
 * @throws ToolError SecurityError if a limit is not a positive number
 */
export function resolveLimits(asked: Limits, callerTimeoutMs: number | undefined, maxima: RunLimits): RunLimits {
  const resolve = (name: keyof Limits) => clamp(name, asked[name] ?? DEFAULT_LIMITS[name], maxima[name]);
  const limits = {
    timeoutMs: resolve('timeoutMs'),
    memoryMb: resolve('memoryMb'),
    cpus: resolve('cpus'),
    pids: resolve('pids'),
    outputKb: resolve('outputKb'),
    tmpMb: resolve('tmpMb'),
    cpuMs: maxima.cpuMs,
  };
  if (callerTimeoutMs === undefined) return limits;
  const longest = asked.timeoutMs === undefined ? maxima.timeoutMs : limits.timeoutMs;
  return { ...limits, timeoutMs: clamp('timeoutMs', callerTimeoutMs, longest) };
}

function clamp(name: keyof Limits, asked: number, max: number): number {
  if (!(asked > 0)) {
    throw new ToolError(
      'SecurityError',
      `The limit ${name} must be a positive number, not ${asked}; leave it out for the default`,
    );
  }
  return Math.min(Math.max(asked, MINIMA[name]), max);
}
