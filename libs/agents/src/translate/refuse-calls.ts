import type { Call, CallAnswer, LocatedWarning, ToolLookup } from '@errand/contracts';
import { checkCalls, observeProblems, observeWarnings, type CallProblem } from '@errand/protocol';
import type { MessageCall, ReadMessage } from './read-message.js';

/** The most problems and wrong calls that a refusal lists. The answers name all of them. */
const MAX_ERRORS = 100;
const MAX_OBSERVED = 20;
const MAX_NAMED = 3;
const MAX_ID_SHOWN = 80;
const ERROR = 'Observation: Error - ';

/** A problem of a call of a message. The place is one within its arguments, if they are JSON text. */
export type MessageProblem = CallProblem & { callId?: string | undefined; line?: number; column?: number };

/** The refusal of a message: nothing of it runs. */
export interface MessageRefusal {
  /** The first problems in the order of the calls. Each message begins with the name of its call. */
  problems: MessageProblem[];
  observation: string;
  /** What the model reads about each call that has an id. */
  answers: CallAnswer[];
}

/** The calls of a message, checked against their tools. */
export interface CheckedMessage {
  /** The calls with their defaults. Complete if there is no refusal. */
  resolved: Call[];
  warnings: LocatedWarning[];
  refusal?: MessageRefusal;
}

/** Checks the calls of a message. A call that cannot be read is not checked against its tool. */
export function checkMessage(read: ReadMessage, tools: ToolLookup): CheckedMessage {
  const { calls } = read;
  const readable = [...calls.entries()].filter(([, { faults }]) => faults.length === 0);
  const checked = checkCalls(
    tools,
    readable.map(([, { toolId, arguments: args }]): Call => ({ toolId, arguments: args })),
  );
  const unreadable = calls.flatMap(({ faults }, call): MessageProblem[] => faults.map((fault) => ({ ...fault, call })));
  const wrong = checked.problems.map((problem): MessageProblem => ({
    ...problem,
    call: readable[problem.call]?.[0] ?? 0,
  }));
  const problems = [...unreadable, ...wrong].toSorted((a, b) => a.call - b.call);
  const warnings = [...read.warnings.map(asWarning), ...checked.warnings];
  return { resolved: checked.resolved, warnings, ...(problems.length > 0 && { refusal: refuse(read, problems) }) };
}

function refuse({ calls, warnings }: ReadMessage, problems: readonly MessageProblem[]): MessageRefusal {
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
  const warned = observeWarnings(warnings.map(asWarning));
  const answers = calls.flatMap(({ callId, isCustom }, n): CallAnswer[] =>
    callId === undefined ? [] : [{ callId, isCustom, isError: true, content: contents.get(n) ?? correct }],
  );
  return { problems: named, observation: [...observeAll(calls, contents), ...warned].join('\n'), answers };
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

/** A JSON message has no lines, so that its warnings have line 1, column 1. */
function asWarning(message: string): LocatedWarning {
  return { message, line: 1, column: 1 };
}
