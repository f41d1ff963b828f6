import { closest, distance } from 'fastest-levenshtein';

/** In characters. A comparison of longer names costs more than the suggestion is worth. */
const MAX_LENGTH = 128;

/**
 * The candidate to suggest for `name`, or undefined if no candidate is close enough.
 * Letter case, `_`, `-` and white space do not count. A candidate may differ by one edit per three characters, or by two swapped letters.
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
  // Two swapped letters are one typo, but two edits.
  const isSwapped = wanted.length > 3 && lettersOf(wanted) === lettersOf(best);
  const allowed = Math.max(Math.floor(Math.max(wanted.length, best.length) / 3), isSwapped ? 2 : 0);
  return distance(wanted, best) <= allowed ? folded.get(best) : undefined;
}

/** The workflow to suggest for an unknown id. The id of its tool, such as `workflow:greet`, suggests `greet`. */
export function workflowMeant(id: string, known: Iterable<string>): string | undefined {
  return didYouMean(id.replace(/^workflow:/, ''), known);
}

function lettersOf(text: string): string {
  return Array.from(text).toSorted().join('');
}
