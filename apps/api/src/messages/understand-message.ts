import { MESSAGE_SHAPES, readMessage, toToolMessages, type MessageCall, type ReadMessage } from '@errand/agents';
import type { Call, LocatedWarning, ToolLookup } from '@errand/contracts';
import { observeProblems, observeWarnings } from '@errand/protocol';
import { ProblemError } from '../http/problem-error.js';
import { checkCalls, type CallProblem, type Understood } from '../submit/check-calls.js';

/** The most problems and wrong calls that a refusal lists. The tool messages name all of them. */
const MAX_ERRORS = 100;
const MAX_OBSERVED = 20;
const MAX_NAMED = 3;
const MAX_ID_SHOWN = 80;
const ERROR = 'Observation: Error - ';

/**
 * Reads the calls of a model's message and checks them against their tools. Their form and ids are in `native`.
 * @throws ProblemError 422 with all problems by the id of their call, and with a tool message for each call
 */
export function understandMessage(message: unknown, book: ToolLookup): Understood {
  const read = readMessage(message);
  if ('fault' in read) throw shapeError(read.fault);
  const { form, calls, responseText } = read;
  const { problems, checked } = findProblems(read, book);
  if (problems.length > 0) throw callsError(read, problems);
  const warnings = [...read.warnings.map(asWarning), ...checked.warnings];
  const callIds = calls.map(({ callId = '' }) => callId);
  return { calls: checked.resolved, responseText, native: { form, callIds }, ...(warnings.length > 0 && { warnings }) };
}

/** A problem of a call of the message. The place is one within its arguments, if they are JSON text. */
type MessageProblem = CallProblem & { line?: number; column?: number };

/** All problems, in the order of the calls. A call that cannot be read is not checked against its tool. */
function findProblems({ calls }: ReadMessage, book: ToolLookup) {
  const readable = [...calls.entries()].filter(([, { faults }]) => faults.length === 0);
  const checked = checkCalls(
    book,
    readable.map(([, { toolId, arguments: args }]): Call => ({ toolId, arguments: args })),
  );
  const unreadable = calls.flatMap(({ faults }, call): MessageProblem[] => faults.map((fault) => ({ ...fault, call })));
  const wrong = checked.problems.map((problem): MessageProblem => ({
    ...problem,
    call: readable[problem.call]?.[0] ?? 0,
  }));
  return { checked, problems: [...unreadable, ...wrong].toSorted((a, b) => a.call - b.call) };
}

function shapeError({ path, message }: { path: string; message: string }): ProblemError {
  const detail = path === '' ? message : `message${path}: ${message}`;
  const errors = [{ path: `/message${path}`, message }];
  const hint = message.includes(MESSAGE_SHAPES) ? detail : `${detail}. The shapes are: ${MESSAGE_SHAPES}`;
  return new ProblemError('invalid_request', hint, { status: 422, errors, messages: [] });
}

function callsError({ form, calls, warnings }: ReadMessage, problems: readonly MessageProblem[]): ProblemError {
  const byCall = new Map<number, MessageProblem[]>();
  for (const problem of problems) {
    const own = byCall.get(problem.call);
    if (own) own.push(problem);
    else byCall.set(problem.call, [problem]);
  }
  const contents = new Map([...byCall].map(([n, own]) => [n, observeCall(own, calls[n])]));
  const named = problems.slice(0, MAX_ERRORS).map(({ message, ...problem }) => ({
    ...problem,
    callId: calls[problem.call]?.callId,
    message: `${nameOf(calls, problem.call)}: ${message}`,
  }));
  const correct = notRun(calls, [...contents.keys()]);
  const answers = calls.map((call, n) => ({ ...call, isError: true, content: contents.get(n) ?? correct }));
  const warned = observeWarnings(warnings.map(asWarning));
  return new ProblemError(problems[0]?.kind ?? 'invalid_parameters', named.map(({ message }) => message).join('\n'), {
    errors: named,
    observation: [...observeAll(calls, contents), ...warned].join('\n'),
    messages: toToolMessages(form, answers.filter(hasId)),
  });
}

function observeCall(problems: readonly MessageProblem[], call: MessageCall | undefined): string {
  const own = problems.map((problem) => ({ ...problem, call: 0 }));
  return observeProblems(own, [{ toolId: call?.toolId ?? '' }]);
}

/** The Observation of the whole refusal names each wrong call by its id. */
function observeAll(calls: readonly MessageCall[], contents: ReadonlyMap<number, string>): string[] {
  const lines = [...contents]
    .slice(0, MAX_OBSERVED)
    .map(([n, content]) => content.replaceAll(/^Observation: Error - /gm, () => `${ERROR}${nameOf(calls, n)}: `));
  const left = contents.size - lines.length;
  return left > 0 ? [...lines, `${ERROR}${left} more calls are wrong.`] : lines;
}

/** The answer to a correct call of a refused message. */
function notRun(calls: readonly MessageCall[], wrong: readonly number[]): string {
  const names = wrong.slice(0, MAX_NAMED).map((n) => nameOf(calls, n));
  const more = wrong.length > names.length ? ` and ${wrong.length - names.length} more` : '';
  const reason = `because another call of the message is wrong (${names.join(', ')}${more})`;
  return `${ERROR}This call is correct, but nothing ran, ${reason}. Correct the message and send this call again.`;
}

/** The name of a call in a message: its id, else its number. The id is on one line and short. */
function nameOf(calls: readonly MessageCall[], n: number): string {
  const { callId } = calls[n] ?? {};
  return `Call ${callId === undefined ? `number ${n + 1}` : JSON.stringify(callId.slice(0, MAX_ID_SHOWN)).slice(1, -1)}`;
}

function asWarning(message: string): LocatedWarning {
  return { message, line: 1, column: 1 };
}

function hasId<T extends { callId?: string }>(answer: T): answer is T & { callId: string } {
  return answer.callId !== undefined;
}
