import type { ErrorKind, LocatedWarning, Problem } from '@errand/contracts';
import { observeWarnings } from './observe-warnings.js';
import { oneLine } from './one-line.js';

/** A problem as an Observation shows it. It has no position if the call came as JSON. */
export interface ObservedProblem extends Problem {
  kind: ErrorKind;
  call?: number;
  line?: number;
  column?: number;
}

/** The beginning of an Observation line for each error kind. Problems of one call share a line. */
const OPENINGS: Record<ErrorKind, (tool: string) => string> = {
  malformed_xml: () => 'Malformed XML in ACTION block: ',
  malformed_tam: () => 'Malformed TAM block: ',
  truncated: () => 'The block is cut off: ',
  empty_action: () => 'Empty ACTION block: ',
  missing_command: () => 'Missing command: ',
  unknown_tool: () => '',
  invalid_parameters: (tool) => `Invalid parameters for ${tool}: `,
};
/** Syntax errors. Their line and column are shown. */
const SYNTAX = new Set<ErrorKind>(['malformed_xml', 'malformed_tam', 'truncated', 'empty_action', 'missing_command']);

const MAX_SHOWN = 20;
const MAX_CHARS = 500;
const MAX_NAME = 120;

/**
 * Returns the Observation about refused calls: one line for each kind and call, then one for each warning. The length
 * is bounded, for any number of problems and any length of names.
 * @param calls the given calls, indexed by the `call` of the problems
 */
export function observeProblems(
  problems: readonly ObservedProblem[],
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
    const parts = lines.get(key);
    if (parts) parts.push(formatProblem(problem));
    else lines.set(key, [`${opening}${formatProblem(problem)}`]);
  }
  const left = problems.length - MAX_SHOWN;
  return [
    ...[...lines.values()].map((parts) => parts.join('; ')),
    ...(left > 0 ? [`Observation: Error - ${left} more problems are not shown.`] : []),
    ...observeWarnings(warnings),
  ].join('\n');
}

function formatProblem({ kind, line, column, message, suggestion }: ObservedProblem): string {
  const position = SYNTAX.has(kind) && line !== undefined ? `line ${line}, column ${column}: ` : '';
  const isHinted = suggestion === undefined || message.includes('did you mean');
  const hint = isHinted ? '' : `, did you mean '${oneLine(suggestion, MAX_NAME)}'?`;
  return `${position}${oneLine(message, MAX_CHARS)}${hint}`;
}
