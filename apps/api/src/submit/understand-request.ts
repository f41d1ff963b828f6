import type { Call, LocatedWarning, ToolLookup, ToolInterface, LocatedProblem, Problem } from '@errand/contracts';
import {
  boundWarnings,
  checkTemplates,
  deprecationOf,
  observeProblems,
  parse,
  type TemplateWarning,
  validateArguments,
} from '@errand/protocol';
import { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest } from '../http/submission-requests.js';

/** What a request asks for. A text that calls nothing has no calls. */
export interface Understood {
  calls: Call[];
  responseText?: string;
  warnings?: LocatedWarning[];
}

/**
 * The calls of a request, whichever form it has, checked against their tools.
 * @throws ProblemError with everything that is wrong, its place, and the words for the model
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

/** Where a text asks for a version (`core:echo@^1`), the call that comes out of it names the one that it got. */
function keepVersions(book: ToolLookup): ToolLookup {
  const find = (name: string) => {
    const tool = book.find(name);
    return tool && name.includes('@') ? { ...tool, toolId: `${tool.toolId}@${tool.version}` } : tool;
  };
  return { ...book, find };
}

function fromJson(request: SubmitRequest, book: ToolLookup): Understood {
  const given = request.calls ?? [{ toolId: request.toolId!, arguments: request.arguments }];
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

/** JSON has no lines: a warning about a JSON request stands at its beginning and names the parameter. */
function warningsOf(
  tools: readonly (ToolInterface | undefined)[],
  templates: readonly TemplateWarning[],
): LocatedWarning[] {
  const place = { line: 1, column: 1 };
  const deprecated = new Set(tools.flatMap((tool) => (tool && deprecationOf(tool)) ?? []));
  return boundWarnings([
    ...[...deprecated].map((message) => ({ kind: 'deprecated' as const, message, ...place })),
    ...templates.map(({ path, message }) => ({ message: `${path.slice(0, 80)}: ${message}`, ...place })),
  ]);
}

/** A problem of a call given as JSON: it has no line, but the number of its call. */
export type CallProblem = Problem & { kind: LocatedProblem['kind']; call: number };

/**
 * Calls given as JSON, checked against their tools; all problems of all calls at once. Types are checked, never guessed.
 * Paths lead into the request body.
 */
export function resolveCalls(book: ToolLookup, calls: readonly Call[]): { resolved: Call[]; problems: CallProblem[] } {
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
