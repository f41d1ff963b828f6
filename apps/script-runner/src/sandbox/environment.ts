import type { Language } from '@errand/contracts';
import type { RunLimits } from './limits.js';

/**
 * All in which containers differ before anything of anyone's is inside: what the engine must be told at their creation. Runs of
 * the same environment can draw from the same pool. Time and output are no part of it: the supervisor keeps them, run by run.
 */
export interface Environment extends Pick<RunLimits, 'memoryMb' | 'cpus' | 'pids' | 'tmpMb'> {
  image: string;
  runtime?: string;
}

export interface Platform {
  images: Readonly<Record<Language, string>>;
  runtime?: string;
}

export function environmentOf(language: Language, limits: RunLimits, { images, runtime }: Platform): Environment {
  const { memoryMb, cpus, pids, tmpMb } = limits;
  return { image: images[language], ...(runtime !== undefined && { runtime }), memoryMb, cpus, pids, tmpMb };
}

/** Environments with the same key are the same. */
export function keyOf(environment: Environment): string {
  return JSON.stringify(environment, Object.keys(environment).toSorted());
}
