import type { Call, PlacedProblem, Problem, ToolBook, ToolInterface } from '@errand/contracts';

/** A call given as JSON, checked against its tool; all problems of all calls at once. */
export interface ResolvedCalls {
  calls: { tool: ToolInterface; arguments: Call['arguments'] }[];
  problems: (Problem & { kind: PlacedProblem['kind']; call: number })[];
}

/** JSON arguments are taken as they are: types are checked, never guessed. Paths lead into the request body's list of calls. */
export function resolveCalls(book: ToolBook, calls: readonly Call[]): ResolvedCalls {
  const resolved: ResolvedCalls = { calls: [], problems: [] };
  calls.forEach((call, index) => {
    const tool = book.find(call.toolId);
    if (!tool) {
      const suggestion = book.suggest(call.toolId);
      const message = `Unknown tool '${call.toolId}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`;
      resolved.problems.push({ kind: 'unknown_tool', call: index, path: '/toolId', message, ...(suggestion && { suggestion }) });
      return;
    }
    const checked = book.validate(tool, call.arguments);
    resolved.calls.push({ tool, arguments: checked.arguments });
    resolved.problems.push(
      ...checked.problems.map((problem) => ({ kind: 'invalid_parameters' as const, call: index, ...problem })),
    );
  });
  return resolved;
}
