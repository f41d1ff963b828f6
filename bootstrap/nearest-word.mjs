/**
 * The candidate that `word` is a typo or the beginning of, or undefined. Letter case does not count.
 * This file imports no packages, because the command line is checked before any package is installed.
 */
export function nearestWord(word, candidates) {
  const wanted = word.toLowerCase();
  if (wanted === '') return undefined;
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: countEdits(wanted, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  const near = ranked.find(({ candidate, edits }) => edits <= allowedEdits(wanted, candidate));
  return (near ?? ranked.find(({ candidate }) => candidate.toLowerCase().startsWith(wanted)))?.candidate;
}

/** One edit for three letters, at least one; a single letter must match. */
const allowedEdits = (a, b) => {
  const length = Math.max(a.length, b.length);
  return length < 2 ? 0 : Math.max(1, Math.floor(length / 3));
};

/** The edit distance of two words: insertions, deletions, replacements and swaps of two neighbours. */
function countEdits(a, b) {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}
