/** The number of remembered texts. */
const MAX = 256;
/** Longer texts are not remembered, so that clients cannot fill the memory. */
const LONGEST = 256;

/**
 * Returns `compute` with a memory of its recent results. All requests of one client name the same host, and reading it takes longer than
 * finding it.
 * @param compute a pure function of its text; a result of undefined is computed each time
 */
export function rememberRecent<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined || text.length > LONGEST) return known ?? compute(text);
    const result = compute(text);
    if (result === undefined) return result;
    if (results.size >= MAX) results.clear();
    results.set(text, result);
    return result;
  };
}
