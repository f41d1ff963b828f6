import { roundMessages } from '@errand/agents';
import { isFinal, type CallAnswer, type Json, type Round, type SessionMessage } from '@errand/contracts';
import { answerCalls, observeInvocation, observeWarnings } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import { budgetOf, reportCalls } from './report-calls.js';
import { keepRound, nowIso, roundField, type Turn } from './turn.js';

/** What the model reads about a call of the caller that a newer message has overtaken. */
const NOT_ANSWERED = 'Observation: Error - This call was not answered, because a new message came before.';

/**
 * The last phase of a round: stores the observation, and the messages of the round, in one step.
 * @param child absent if all calls of the round run in the background
 */
export async function observe(turn: Turn, round: Round, child?: StoredInvocation): Promise<void> {
  const { work } = turn.context;
  const { stored, events } = child ? reportCalls(round, child) : { stored: round, events: [] };
  const observation = observationOf(turn, stored, child);
  const ended: Round = { ...stored, status: 'succeeded', observation, finishedAt: nowIso() };
  const answers = round.native ? answersOf(turn, stored, child) : [];
  await turn.writer.commit({
    fields: [[roundField(turn, round.index), ended]],
    events: [...events, { event: 'round', round: round.index, status: 'succeeded' }],
    messages: roundMessages({ round: ended, answers, observation }, { turn: work.id, at: nowIso() }),
  });
  keepRound(turn, ended);
}

function observationOf(turn: Turn, round: Round, child: StoredInvocation | undefined): string {
  const warnings = (round.warnings ?? []).map((message) => ({ message, line: 1, column: 1 }));
  const started = round.calls
    .filter(({ background }) => background)
    .map(({ toolId, result }) => `Observation: Tool ${toolId} ${startOf(result)}. Its end will be reported.`);
  const ended = child ? [observeInvocation(child, budgetOf(turn))] : [];
  return [...ended, ...started, ...observeWarnings(warnings)].join('\n');
}

/** The result of a background call: `started as <invocation>`. */
function startOf(result: Json | undefined): string {
  return typeof result === 'string' ? result : '';
}

function answersOf(turn: Turn, { calls }: Round, child: StoredInvocation | undefined): CallAnswer[] {
  const answers = new Map((child ? answerCalls(child, budgetOf(turn)) : []).map((answer) => [answer.callId, answer]));
  return calls.map(({ callId, result }) => answers.get(callId) ?? { callId, content: startOf(result), isError: false });
}

/** The messages of a round that a newer message has overtaken: the open calls were not answered. */
export function overtakenMessages(turn: string, round: Round): SessionMessage[] {
  const contents = round.calls.map((call) => (isFinal(call.status) ? showEnd(call) : NOT_ANSWERED));
  const answers = round.calls.map(({ callId, status }, n) => ({
    callId,
    content: contents[n] ?? NOT_ANSWERED,
    isError: status !== 'succeeded',
  }));
  return roundMessages({ round, answers, observation: contents.join('\n') }, { turn, at: nowIso() });
}

function showEnd({ toolId, result, error }: Round['calls'][number]): string {
  if (error) return `Observation: Error - Tool ${toolId} failed. Error type: ${error.type}. Message: ${error.message}`;
  return `Observation: Tool ${toolId} executed successfully. Result: ${typeof result === 'string' ? result : JSON.stringify(result ?? null)}`;
}
