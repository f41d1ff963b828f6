import type { Call, LocatedProblem, LocatedWarning, Problem, ToolInterface, ToolLookup } from '@errand/contracts';
import { deprecationOf } from './resolve-call.js';
import { boundWarnings } from './observe/observe-warnings.js';
import { checkTemplates, type TemplateWarning } from './templates/check-templates.js';
import { validateTemplatedArguments } from './validate-templated-arguments.js';

/** A problem of a call in JSON. It has the number of its call instead of a line. */
export type CallProblem = Problem & { kind: LocatedProblem['kind']; call: number };

/** Calls in JSON with all their problems, and with the warnings for their reader. */
export interface CheckedCalls {
  /** The valid calls, with their defaults. */
  resolved: Call[];
  problems: CallProblem[];
  warnings: LocatedWarning[];
}

/** Checks calls in JSON against their tools, and their templates against each other. */
export function checkCalls(book: ToolLookup, calls: readonly Call[]): CheckedCalls {
  const { resolved, tools, problems } = resolveCalls(book, calls);
  const outputs = tools.map((tool) => tool.output);
  const templates = problems.length > 0 ? { problems, warnings: [] } : checkTemplates(resolved, outputs);
  return { resolved, problems: templates.problems, warnings: warningsOf(tools, templates.warnings) };
}

/** Warnings about a JSON request. JSON has no lines, so that each has line 1, column 1 and names the parameter. */
function warningsOf(tools: readonly ToolInterface[], templates: readonly TemplateWarning[]): LocatedWarning[] {
  if (templates.length === 0 && tools.every((tool) => deprecationOf(tool) === undefined)) return [];
  const deprecated = new Set(tools.flatMap((tool) => deprecationOf(tool) ?? []));
  const position = { line: 1, column: 1 };
  return boundWarnings([
    ...[...deprecated].map((message) => ({ kind: 'deprecated' as const, message, ...position })),
    ...templates.map(({ path, message }) => ({ message: `${path.slice(0, 80)}: ${message}`, ...position })),
  ]);
}

/** Checks calls in JSON against their tools. Reports all problems of all calls. Types are checked, never guessed. `tools` are those of `resolved`. */
function resolveCalls(
  book: ToolLookup,
  calls: readonly Call[],
): { resolved: Call[]; tools: ToolInterface[]; problems: CallProblem[] } {
  const resolved: Call[] = [];
  const tools: ToolInterface[] = [];
  const problems: CallProblem[] = [];
  calls.forEach((given, call) => {
    const tool = book.find(given.toolId);
    if (!tool) {
      const suggestion = book.suggest(given.toolId);
      const message = `Unknown tool '${given.toolId}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`;
      problems.push({ kind: 'unknown_tool', call, path: '/toolId', message, ...(suggestion && { suggestion }) });
      return;
    }
    const checked = validateTemplatedArguments(book, tool, given.arguments);
    resolved.push({ toolId: given.toolId, arguments: checked.arguments });
    tools.push(tool);
    for (const problem of checked.problems) problems.push({ kind: 'invalid_parameters', call, ...problem });
  });
  return { resolved, tools, problems };
}
