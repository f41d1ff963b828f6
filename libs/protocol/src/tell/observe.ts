import type { ErrorKind, Problem } from '@errand/contracts';

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

/**
 * What to tell the model about calls that were refused, one line for each kind and call.
 * @param calls the calls as given, by the numbers that the problems carry
 */
export function observeProblems(problems: readonly ToldProblem[], calls: readonly { toolId: string }[]): string {
  const lines = new Map<string, string[]>();
  for (const problem of problems) {
    const tool = (problem.call === undefined ? undefined : calls[problem.call]?.toolId) ?? 'the call';
    const opening = `Observation: Error - ${OPENINGS[problem.kind](tool)}`;
    const key = `${problem.kind} ${problem.call ?? ''} ${opening}`;
    const told = lines.get(key);
    if (told) told.push(sayProblem(problem));
    else lines.set(key, [`${opening}${sayProblem(problem)}`]);
  }
  return [...lines.values()].map((parts) => parts.join('; ')).join('\n');
}

function sayProblem({ kind, line, column, message, suggestion }: ToldProblem): string {
  const place = PLACED.has(kind) && line !== undefined ? `line ${line}, column ${column}: ` : '';
  const hint = suggestion === undefined || message.includes('did you mean') ? '' : `, did you mean '${suggestion}'?`;
  return `${place}${message}${hint}`;
}
