// The goals table of docs/performance.md, from the measured runs of each goal. Pure functions.
import { quantile, table } from '../measure.mjs';

const shown = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

const NINE_OF_TEN = 0.9;

/** Whether the median of the runs is within the bounds, or nine of ten runs are, if the goal asks for that. */
function isMet({ least = -Infinity, most = Infinity, nineOfTen = false }, runs) {
  const isWithin = (run) => run >= least && run <= most;
  return nineOfTen ? runs.filter(isWithin).length >= runs.length * NINE_OF_TEN : isWithin(quantile(runs));
}

const aimOf = ({ least, most, nineOfTen }) =>
  (least === undefined ? `≤ ${most}` : `≥ ${least}`) + (nineOfTen ? ' in nine of ten runs' : '');

/**
 * @param goals from goals.mjs
 * @param measured the runs (numbers) of each goal by its id; a goal without runs is shown as not measured
 * @param elsewhere what another machine measured, by the id of a goal that it did not meet
 * @returns Markdown: the table, and why goals are not met, here and elsewhere
 */
export function goalTable(goals, measured, elsewhere = {}) {
  const known = goals.map((goal) => ({ goal, runs: measured[goal.id] ?? [] }));
  const failed = known.filter(({ goal, runs }) => runs.length > 0 && !isMet(goal, runs));
  const others = known.filter((each) => elsewhere[each.goal.id] && !failed.includes(each));
  return [
    table(['goal', 'aim', 'median', 'range', 'met'], known.map(rowOf)),
    ...reasons('Why a goal is not met, and what was tried:', failed),
    ...reasons('Goals that another machine did not meet, and why:', others, elsewhere),
  ].join('\n\n');
}

function rowOf({ goal, runs }) {
  if (runs.length === 0) return [goal.what, aimOf(goal), 'not measured', '', ''];
  const median = quantile(runs);
  const range = `${shown(Math.min(...runs))}–${shown(Math.max(...runs))}`;
  return [goal.what, aimOf(goal), shown(median), `${range}, ${runs.length} runs`, isMet(goal, runs) ? 'yes' : '**no**'];
}

function reasons(heading, known, elsewhere = {}) {
  if (known.length === 0) return [];
  const lines = known.map(({ goal: { what, id, reason } }) => {
    const text = elsewhere[id] ? `${elsewhere[id]}. ${reason}` : reason;
    return `- _${what.replace(/^… /, '')}_ (${id}): ${text}`;
  });
  return [heading, lines.join('\n')];
}

/** The runs by goal, from the lines that `noteGoal` has written. Later lines replace earlier ones. */
export function readNotes(text) {
  const entries = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return Object.fromEntries(entries.map(({ id, runs }) => [id, runs.map((run) => Number(run.toPrecision(4)))]));
}
