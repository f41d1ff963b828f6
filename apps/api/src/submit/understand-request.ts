import type { Call, ToolLookup } from '@errand/contracts';
import { checkCalls, observeProblems, parse } from '@errand/protocol';
import { understandMessage } from '../messages/understand-message.js';
import { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest } from '../http/submission-requests.js';
import type { Understood } from './understood.js';

/**
 * Reads the calls of a request in any form, and checks them against their tools.
 * @throws ProblemError with all problems, their positions, and the observation for the model
 */
export function understandRequest(request: SubmitRequest, book: ToolLookup): Understood {
  requireOneForm(request);
  if (request.message !== undefined) return understandMessage(request.message, book);
  return request.text === undefined ? fromJson(request, book) : fromText(request.text, request, book);
}

function requireOneForm({ text, calls, toolId, message, arguments: args }: SubmitRequest): void {
  const forms = [text, calls, toolId, message].filter((form) => form !== undefined).length;
  if (forms !== 1 || (args !== undefined && toolId === undefined)) {
    throw new ProblemError(
      'invalid_request',
      'Give one of: `text`; `calls` [{toolId, arguments}]; `toolId` with `arguments`; or `message` of a model API',
    );
  }
}

function fromText(text: string, { protocol }: SubmitRequest, tools: ToolLookup): Understood {
  const parsed = parse(text, { tools: keepVersions(tools), names: true, ...(protocol && { protocol }) });
  const { calls, errors, warnings, observation, responseText, names: called = [] } = parsed;
  const [first] = errors;
  if (!first)
    return { calls, responseText, protocol: parsed.protocol ?? 'auto', ...(warnings.length > 0 && { warnings }) };
  const detail = errors.map((error) => `line ${error.line}, column ${error.column}: ${error.message}`).join('\n');
  throw new ProblemError(first.kind, detail, { errors, called, ...(observation !== null && { observation }) });
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
  const calls: Call[] = [];
  for (const { toolId, arguments: args } of given) calls.push({ toolId, arguments: args ?? {} });
  const { resolved, problems, warnings } = checkCalls(book, calls);
  const [first] = problems;
  if (!first) return { calls: resolved, ...(warnings.length > 0 && { warnings }) };
  throw new ProblemError(first.kind, problems.map((problem) => problem.message).join('\n'), {
    errors: problems,
    called: calls.map(({ toolId }) => toolId),
    observation: observeProblems(problems, calls, warnings),
  });
}
