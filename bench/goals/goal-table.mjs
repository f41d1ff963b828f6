// The goals table of docs/performance.md, from the measured runs of each goal. Pure functions.
import { quantile, table } from '../measure.mjs';

const shown = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

function isMet({ least = -Infinity, most = Infinity }, median) {
  return median >= least && median <= most;
}

const aimOf = ({ least, most }) => (least === undefined ? `≤ ${most}` : `≥ ${least}`);

/**
 * @param goals from goals.mjs
 * @param measured the runs (numbers) of each goal by its id; a goal without runs is shown as not measured
 * @returns Markdown: the table, and why each goal is not met that is not
 */
export function goalTable(goals, measured) {
  const failed = [];
  const rows = goals.map((goal) => {
    const runs = measured[goal.id] ?? [];
    if (runs.length === 0) return [goal.what, aimOf(goal), 'not measured', '', ''];
    const median = quantile(runs);
    const met = isMet(goal, median);
    if (!met) failed.push(`- _${goal.what.replace(/^… /, '')}_ (${goal.id}): ${goal.reason}`);
    const range = `${shown(Math.min(...runs))}–${shown(Math.max(...runs))}`;
    return [goal.what, aimOf(goal), shown(median), `${range}, ${runs.length} runs`, met ? 'yes' : '**no**'];
  });
  const text = table(['goal', 'aim', 'median', 'range', 'met'], rows);
  return failed.length === 0 ? text : `${text}\n\nWhy a goal is not met, and what was tried:\n\n${failed.join('\n')}`;
}

/** The runs by goal, from the lines that `noteGoal` has written. Later lines replace earlier ones. */
export function readNotes(text) {
  const entries = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return Object.fromEntries(entries.map(({ id, runs }) => [id, runs.map((run) => Number(run.toPrecision(4)))]));
}
