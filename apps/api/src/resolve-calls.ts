import type { Call, PlacedProblem, Problem, ToolBook } from '@errand/contracts';
import { validateArguments } from '@errand/protocol';

/** A problem of a call given as JSON: it has no line, but the number of its call. */
export type CallProblem = Problem & { kind: PlacedProblem['kind']; call: number };

/**
 * Calls given as JSON, checked against their tools; all problems of all calls at once. Types are checked, never guessed.
 * Paths lead into the request body.
 */
export function resolveCalls(book: ToolBook, calls: readonly Call[]): { resolved: Call[]; problems: CallProblem[] } {
  const resolved: Call[] = [];
  const problems: CallProblem[] = [];
  calls.forEach((given, call) => {
    const tool = book.find(given.toolId);
    if (!tool) {
      const suggestion = book.suggest(given.toolId);
      const message = `Unknown tool '${given.toolId}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`;
      problems.push({ kind: 'unknown_tool', call, path: '/toolId', message, ...(suggestion && { suggestion }) });
      return;
    }
    const checked = validateArguments(book, tool, given.arguments);
    resolved.push({ toolId: given.toolId, arguments: checked.arguments });
    problems.push(...checked.problems.map((problem) => ({ kind: 'invalid_parameters' as const, call, ...problem })));
  });
  return { resolved, problems };
}
