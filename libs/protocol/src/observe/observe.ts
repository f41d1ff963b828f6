import type { ErrorKind, LocatedWarning, Problem } from '@errand/contracts';
import { observeWarnings } from './observe-warnings.js';
import { oneLine } from './one-line.js';

/** A problem as an observation tells it; without a place where the call came as JSON. */
export interface ToldProblem extends Problem {
  kind: ErrorKind;
  call?: number;
  line?: number;
  column?: number;
}

/** How an observation begins that tells of such an error. Problems of one call are told on one line. */
const OPENINGS: Record<ErrorKind, (tool: string) => string> = {
  malformed_xml: () => 'Malformed XML in ACTION block: ',
  malformed_tam: () => 'Malformed TAM block: ',
  truncated: () => 'The block is cut off: ',
  empty_action: () => 'Empty ACTION block: ',
  missing_command: () => 'Missing command: ',
  unknown_tool: () => '',
  invalid_parameters: (tool) => `Invalid parameters for ${tool}: `,
};
/** Kinds that are about the writing: the place helps to mend it. */
const PLACED = new Set<ErrorKind>(['malformed_xml', 'malformed_tam', 'truncated', 'empty_action', 'missing_command']);

const MAX_SHOWN = 20;
const MAX_CHARS = 500;
const MAX_NAME = 120;

/**
 * What to tell the model about calls that were refused: one line for each kind and call, then one for each warning. Bounded,
 * however many problems there are and however long the names in them.
 * @param calls the calls as given, by the numbers that the problems carry
 */
export function observeProblems(
  problems: readonly ToldProblem[],
  calls: readonly { toolId: string }[],
  warnings: readonly LocatedWarning[] = [],
): string {
  const lines = new Map<string, string[]>();
  for (const problem of problems.slice(0, MAX_SHOWN)) {
    const tool = oneLine(
      (problem.call === undefined ? undefined : calls[problem.call]?.toolId) ?? 'the call',
      MAX_NAME,
    );
    const opening = `Observation: Error - ${OPENINGS[problem.kind](tool)}`;
    const key = `${problem.kind} ${problem.call ?? ''} ${opening}`;
    const told = lines.get(key);
    if (told) told.push(sayProblem(problem));
    else lines.set(key, [`${opening}${sayProblem(problem)}`]);
  }
  const left = problems.length - MAX_SHOWN;
  return [
    ...[...lines.values()].map((parts) => parts.join('; ')),
    ...(left > 0 ? [`Observation: Error - ${left} more problems are not shown.`] : []),
    ...observeWarnings(warnings),
  ].join('\n');
}

function sayProblem({ kind, line, column, message, suggestion }: ToldProblem): string {
  const place = PLACED.has(kind) && line !== undefined ? `line ${line}, column ${column}: ` : '';
  const isHinted = suggestion === undefined || message.includes('did you mean');
  const hint = isHinted ? '' : `, did you mean '${oneLine(suggestion, MAX_NAME)}'?`;
  return `${place}${oneLine(message, MAX_CHARS)}${hint}`;
}
