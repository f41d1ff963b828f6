import { roundMessages } from '@errand/agents';
import { isFinal, type CallAnswer, type Round, type SessionMessage } from '@errand/contracts';
import {
  answerCalls,
  observeInvocation,
  observeWarnings,
  readableWith,
  type ObservationBudget,
} from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import { reportCalls } from './dispatch-calls.js';
import { keepRound, nowIso, roundField, type Turn } from './turn.js';

/** What the model reads about a call of the caller that a newer message has overtaken. */
const NOT_ANSWERED = 'Observation: Error - This call was not answered, because a new message came before.';

/** The last phase of a round: stores the observation, and the messages of the round, in one step. */
export async function observe(turn: Turn, round: Round, child: StoredInvocation): Promise<void> {
  const { work } = turn.context;
  const { stored, events } = reportCalls(round, child);
  const observation = observationOf(turn, stored, child);
  const ended: Round = { ...stored, status: 'succeeded', observation, finishedAt: nowIso() };
  const answers = round.native ? answersOf(turn, child) : [];
  await turn.writer.commit({
    fields: [[roundField(turn, round.index), ended]],
    events: [...events, { event: 'round', round: round.index, status: 'succeeded' }],
    messages: roundMessages({ round: ended, answers, observation }, { turn: work.id, at: nowIso() }),
  });
  keepRound(turn, ended);
}

function observationOf(turn: Turn, round: Round, child: StoredInvocation): string {
  const warnings = (round.warnings ?? []).map((message) => ({ message, line: 1, column: 1 }));
  return [observeInvocation(child, budgetOf(turn)), ...observeWarnings(warnings)].join('\n');
}

function answersOf(turn: Turn, child: StoredInvocation): CallAnswer[] {
  return answerCalls(child, budgetOf(turn));
}

function budgetOf({ limits, tools }: Turn): ObservationBudget {
  return { maxChars: limits.maxResultChars, readable: readableWith((toolId) => tools.find(toolId) !== undefined) };
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
