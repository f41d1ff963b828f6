import { closest, distance } from 'fastest-levenshtein';

/** Above this many candidates or characters a guess costs more than it helps. */
const MAX_LENGTH = 128;

/**
 * The one candidate that is close enough to `name` to be suggested, or undefined.
 * Letter case, `_` and `-` do not count as differences; else one edit per three characters may differ, or two letters be swapped.
 */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const fold = (text: string) => text.toLowerCase().replace(/[_\-\s]/g, '');
  const wanted = fold(name);
  if (wanted === '' || name.length > MAX_LENGTH) return undefined;
  const folded = new Map<string, string>();
  for (const candidate of candidates) {
    const key = fold(candidate);
    if (candidate.length <= MAX_LENGTH && !folded.has(key)) folded.set(key, candidate);
  }
  if (folded.size === 0) return undefined;
  const best = folded.has(wanted) ? wanted : closest(wanted, [...folded.keys()]);
  // Two letters in each other's place are one slip, and two edits.
  const isSwapped = wanted.length > 3 && lettersOf(wanted) === lettersOf(best);
  const allowed = Math.max(Math.floor(Math.max(wanted.length, best.length) / 3), isSwapped ? 2 : 0);
  return distance(wanted, best) <= allowed ? folded.get(best) : undefined;
}

/** The workflow that is meant by an id that none has; `workflow:greet`, the id of its tool, means `greet`. */
export function workflowMeant(id: string, known: Iterable<string>): string | undefined {
  return didYouMean(id.replace(/^workflow:/, ''), known);
}

function lettersOf(text: string): string {
  return Array.from(text).toSorted().join('');
}
