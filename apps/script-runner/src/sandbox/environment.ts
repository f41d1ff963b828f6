import { canonicalJson, type Language } from '@errand/contracts';
import type { RunLimits } from './limits.js';

/**
 * The settings fixed at container creation. Runs with equal settings share a pool. Time and output limits are not part
 * of it: the supervisor enforces them for each run.
 */
export interface SandboxEnvironment extends Pick<RunLimits, 'memoryMb' | 'cpus' | 'pids' | 'tmpMb'> {
  image: string;
  runtime?: string;
  /** Folders of the host that the script sees. */
  mounts?: readonly Mount[];
  /** The container may serve several runs of one tool, each as another user. Otherwise it serves one run. */
  reusable?: boolean;
  /** The container can write its files, which are then kept as an image. Only installers get such a container. */
  writable?: boolean;
}

/** A folder of the host and its path in the sandbox. */
export interface Mount {
  source: string;
  target: string;
  readOnly: boolean;
}

interface RuntimeImages {
  images: Readonly<Record<Language, string>>;
  runtime?: string;
}

/** What a run needs beyond its language and its limits. */
export interface RunEnvironment {
  /** An image with the dependencies of the script. */
  image?: string;
  mounts?: readonly Mount[];
  /**
   * Runs with the same value may share a container, one after the other, each in its own process and as its own user.
   * The value must be unique to one tool definition and one tenant. Without it, the container serves only this run.
   */
  reuse?: string;
}

export function environmentOf(
  language: Language,
  limits: RunLimits,
  { images, runtime }: RuntimeImages,
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
    // Host folders belong to one user, and the runs of a shared container have different users.
    ...(reuse !== undefined && mounts.length === 0 && { reusable: true }),
  };
}

/** Equal environments have equal keys. */
export function keyOf(environment: SandboxEnvironment): string {
  return canonicalJson(environment);
}
