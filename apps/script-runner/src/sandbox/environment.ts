import { canonicalJson, type Language } from '@errand/contracts';
import type { RunLimits } from './limits.js';

/**
 * All in which containers differ before anything of anyone's is inside: what the engine must be told at their creation. Runs of
 * the same environment can draw from the same pool. Time and output are no part of it: the supervisor keeps them, run by run.
 */
export interface SandboxEnvironment extends Pick<RunLimits, 'memoryMb' | 'cpus' | 'pids' | 'tmpMb'> {
  image: string;
  runtime?: string;
  /** Folders of the host that can be seen, by their places inside. */
  mounts?: readonly Mount[];
  /** It may serve several runs of one tool, each as a user of its own. Otherwise it serves one. */
  reusable?: boolean;
  /** Its files can be written, to be kept as an image: for what installs, never for what runs. */
  writable?: boolean;
}

/** A folder of the host, at a place in the sandbox. */
export interface Mount {
  source: string;
  target: string;
  readOnly: boolean;
}

export interface Platform {
  images: Readonly<Record<Language, string>>;
  runtime?: string;
}

/** What a run needs beyond its language and its limits: an image with its dependencies, folders of the host. */
export interface RunEnvironment {
  image?: string;
  mounts?: readonly Mount[];
  /**
   * Whose runs may share a container, one after the other, each in a process and as a user of its own: a name that only runs of one
   * definition of one tool for one tenant have. Without it the container serves this run alone.
   */
  reuse?: string;
}

export function environmentOf(
  language: Language,
  limits: RunLimits,
  { images, runtime }: Platform,
  { image = images[language], mounts = [], reuse }: RunEnvironment = {},
): SandboxEnvironment {
  const { memoryMb, cpus, pids, tmpMb } = limits;
  return {
    image,
    memoryMb,
    cpus,
    pids,
    tmpMb,
    ...(runtime !== undefined && { runtime }),
    ...(mounts.length > 0 && { mounts }),
    // Folders of the host are for one user, and runs that share a container have different ones.
    ...(reuse !== undefined && mounts.length === 0 && { reusable: true }),
  };
}

/** Environments with the same key are the same. */
export function keyOf(environment: SandboxEnvironment): string {
  return canonicalJson(environment);
}
