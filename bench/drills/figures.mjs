import { table } from '../measure.mjs';

const isKept = ({ count, atLeast = count, exactly = count }) => count >= atLeast && count === exactly;
const boundOf = ({ atLeast, exactly }) => exactly ?? (atLeast === undefined ? '' : `≥ ${atLeast}`);

/**
 * Prints figures `{what, count, atLeast?, exactly?}`, each with what it must be for the drill to have proven something and nothing to be
 * broken; gives the exit code: 1 where a bound does not hold.
 */
export function report(figures) {
  const rows = figures.map((figure) => [figure.what, figure.count, boundOf(figure), isKept(figure) ? '' : 'broken']);
  console.log(table(['what', 'count', 'must be', ''], rows));
  return figures.every(isKept) ? 0 : 1;
}
