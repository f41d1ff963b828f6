import type { Invocation } from '@errand/contracts';

/** A step whose result the observation does not have as a whole. */
export interface CutStep {
  index: number;
  /** The characters of the whole result. */
  total: number;
}

/** The steps whose results are longer than the observation that was made of them. None before the end. */
export function cutSteps({ observation, steps }: Pick<Invocation, 'observation' | 'steps'>): CutStep[] {
  if (observation === null) return [];
  return steps.flatMap(({ index, result, resultTruncated }) => {
    const total = resultTruncated?.total ?? lengthOf(result);
    return total > observation.length ? [{ index, total }] : [];
  });
}

/** The length of a result as a model reads it: a text as it is, anything else as JSON. */
function lengthOf(result: unknown): number {
  if (result === undefined) return 0;
  return typeof result === 'string' ? result.length : JSON.stringify(result).length;
}
