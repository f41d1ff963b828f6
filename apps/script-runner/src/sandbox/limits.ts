import { ToolError, type Limits } from '@errand/contracts';

/** Every limit of a run, resolved. The CPU time, of the script and all its children, is the operator's alone to say. */
export type RunLimits = Required<Limits> & { cpuMs: number };

/** What a tool gets that asks for nothing. Of CPU time it gets what the operator allows. */
export const DEFAULT_LIMITS: Readonly<RunLimits> = {
  timeoutMs: 60_000,
  memoryMb: 256,
  cpus: 1,
  pids: 64,
  outputKb: 1024,
  tmpMb: 32,
  cpuMs: 600_000,
};

/** Less than this and not even the supervisor lives: a limit below it is raised to it. */
const FLOORS: Readonly<Required<Limits>> = { timeoutMs: 1, memoryMb: 32, cpus: 0.05, pids: 16, outputKb: 1, tmpMb: 1 };

/** Bounds that no tool can ask to change. */
export const BOUNDS = {
  /** From the wish for a container until its supervisor is warm. */
  bootMs: 30_000,
  /** How much later than the runner the supervisor inside enforces the deadline, should the runner be deaf. */
  graceMs: 2_000,
  /** For a sandbox to end by itself, or to be clean, once it has answered. */
  releaseMs: 2_000,
  /** For the engine to confirm that a container is gone. */
  destroyMs: 20_000,
  /** A script's stdin. */
  inputKb: 8 * 1024,
  /** Log that is passed on; further lines are counted only. */
  logKeptBytes: 64 * 1024,
  /** Log at which a run is ended; lines count too, for an empty one costs nearly as much as a full one. */
  logFloodBytes: 8 * 1024 * 1024,
  logFloodLines: 400_000,
  logLineBytes: 8 * 1024,
  /** Of the end of the log, for the details of an error. */
  tailLines: 20,
  tailLineCharacters: 500,
  /** How many runs of one tool a container serves at most, how old it gets, and how long it waits for the next. */
  reuseRuns: 500,
  reuseMs: 600_000,
  reuseIdleMs: 60_000,
  fileMb: 32,
  /** Files that a script may hand out: the supervisors' bound. */
  artifacts: 256,
  artifactDepth: 32,
  openFiles: 256,
  /** Of what installs packages. */
  installedFileMb: 2048,
  installedOpenFiles: 4096,
  scriptMb: 64,
  inodes: 4096,
} as const;

/** What an installer of packages may use. */
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
 * The limits of one run: what the tool asks for, else the default, never more than the operator's maxima.
 * `wishMs`, the caller's time limit, may shorten the tool's own but not lengthen it.
 * @throws ToolError SecurityError on a limit that is not a positive number
 */
export function resolveLimits(asked: Limits, wishMs: number | undefined, maxima: RunLimits): RunLimits {
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
  if (wishMs === undefined) return limits;
  const longest = asked.timeoutMs === undefined ? maxima.timeoutMs : limits.timeoutMs;
  return { ...limits, timeoutMs: clamp('timeoutMs', wishMs, longest) };
}

function clamp(name: keyof Limits, asked: number, max: number): number {
  if (!(asked > 0)) {
    throw new ToolError(
      'SecurityError',
      `The limit ${name} must be a positive number, not ${asked}; leave it out for the default`,
    );
  }
  return Math.min(Math.max(asked, FLOORS[name]), max);
}
