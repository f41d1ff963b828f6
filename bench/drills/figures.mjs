import { table } from '../measure.mjs';

const isKept = ({ count, atLeast = count, exactly = count }) => count >= atLeast && count === exactly;
const boundOf = ({ atLeast, exactly }) => exactly ?? (atLeast === undefined ? '' : `≥ ${atLeast}`);

/**
 * Prints counts `{what, count, atLeast?, exactly?}`, each with its bound. Returns the exit code: 1 if a bound does not hold.
 */
export function report(figures) {
  const rows = figures.map((figure) => [figure.what, figure.count, boundOf(figure), isKept(figure) ? '' : 'broken']);
  console.log(table(['what', 'count', 'must be', ''], rows));
  return figures.every(isKept) ? 0 : 1;
}
