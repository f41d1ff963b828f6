import type { Call, LocatedWarning, ToolLookup, ToolInterface, LocatedProblem, Problem } from '@errand/contracts';
import {
  boundWarnings,
  checkTemplates,
  deprecationOf,
  observeProblems,
  parse,
  type TemplateWarning,
  validateTemplatedArguments,
} from '@errand/protocol';
import { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest } from '../http/submission-requests.js';

/** The calls of a request. A text without a block has none. */
export interface Understood {
  calls: Call[];
  responseText?: string;
  warnings?: LocatedWarning[];
}

/**
 * Reads the calls of a request in any form, and checks them against their tools.
 * @throws ProblemError with all problems, their positions, and the observation for the model
 */
export function understandRequest(request: SubmitRequest, book: ToolLookup): Understood {
  requireOneForm(request);
  return request.text === undefined ? fromJson(request, book) : fromText(request.text, request, book);
}

function requireOneForm({ text, calls, toolId, arguments: args }: SubmitRequest): void {
  const forms = [text, calls, toolId].filter((form) => form !== undefined).length;
  if (forms !== 1 || (args !== undefined && toolId === undefined)) {
    throw new ProblemError(
      'invalid_request',
      'Give one of: `text`; `calls` [{toolId, arguments}]; or `toolId` with `arguments`',
    );
  }
}

function fromText(text: string, { protocol }: SubmitRequest, tools: ToolLookup): Understood {
  const { calls, errors, warnings, observation, responseText } = parse(text, {
    tools: keepVersions(tools),
    ...(protocol && { protocol }),
  });
  const [first] = errors;
  if (!first) return { calls, responseText, ...(warnings.length > 0 && { warnings }) };
  const detail = errors.map((error) => `line ${error.line}, column ${error.column}: ${error.message}`).join('\n');
  throw new ProblemError(first.kind, detail, { errors, ...(observation !== null && { observation }) });
}

/** A call with a version range (`core:echo@^1`) gets the exact version in its tool id. */
function keepVersions(book: ToolLookup): ToolLookup {
  const find = (name: string) => {
    const tool = book.find(name);
    return tool && name.includes('@') ? { ...tool, toolId: `${tool.toolId}@${tool.version}` } : tool;
  };
  return { ...book, find };
}

function fromJson(request: SubmitRequest, book: ToolLookup): Understood {
  const given = request.calls ?? [{ toolId: request.toolId ?? '', arguments: request.arguments }];
  const calls = given.map(({ toolId, arguments: args }) => ({ toolId, arguments: args ?? {} }));
  const { resolved, problems } = resolveCalls(book, calls);
  const tools = resolved.map((call) => book.find(call.toolId));
  const outputs = tools.map((tool) => tool?.output);
  const templates = problems.length > 0 ? { problems, warnings: [] } : checkTemplates(resolved, outputs);
  const warnings = warningsOf(tools, templates.warnings);
  const wrong = templates.problems;
  const [first] = wrong;
  if (!first) return { calls: resolved, ...(warnings.length > 0 && { warnings }) };
  throw new ProblemError(first.kind, wrong.map((problem) => problem.message).join('\n'), {
    errors: wrong,
    observation: observeProblems(wrong, calls, warnings),
  });
}

/** Warnings about a JSON request. JSON has no lines, so that each has line 1, column 1 and names the parameter. */
function warningsOf(
  tools: readonly (ToolInterface | undefined)[],
  templates: readonly TemplateWarning[],
): LocatedWarning[] {
  const position = { line: 1, column: 1 };
  const deprecated = new Set(tools.flatMap((tool) => (tool && deprecationOf(tool)) ?? []));
  return boundWarnings([
    ...[...deprecated].map((message) => ({ kind: 'deprecated' as const, message, ...position })),
    ...templates.map(({ path, message }) => ({ message: `${path.slice(0, 80)}: ${message}`, ...position })),
  ]);
}

/** A problem of a call in JSON. It has the number of its call instead of a line. */
type CallProblem = Problem & { kind: LocatedProblem['kind']; call: number };

/** Checks calls in JSON against their tools. Reports all problems of all calls. Types are checked, never guessed. */
function resolveCalls(book: ToolLookup, calls: readonly Call[]): { resolved: Call[]; problems: CallProblem[] } {
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
    const checked = validateTemplatedArguments(book, tool, given.arguments);
    resolved.push({ toolId: given.toolId, arguments: checked.arguments });
    problems.push(...checked.problems.map((problem) => ({ kind: 'invalid_parameters' as const, call, ...problem })));
  });
  return { resolved, problems };
}
