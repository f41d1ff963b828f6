import { roundMessages, type Deliberated, type ReadRound, type Refusal } from '@errand/agents';
import type { Round } from '@errand/contracts';
import type { TurnStep } from '@errand/queue';
import { callEvents, plannedCalls } from './plan-calls.js';
import { answerFault } from './read-answer.js';
import { keepRound, nowIso, roundField, type Turn } from './turn.js';

/** The end of a deliberation: stores the text of the model, and its calls, its answer, or why the round is refused. One step. */
export async function storeRound(turn: Turn, begun: Round, deliberated: Deliberated, read: ReadRound): Promise<void> {
  const round = { ...begun, ...describe(deliberated, read) };
  if (read.kind === 'calls') return storeCalls(turn, round, read);
  if (read.kind === 'refused') return storeRefusal(turn, round, read.refusal);
  const fault = answerFault(turn, round.text, read.responseText);
  return fault === undefined
    ? storeAnswer(turn, round)
    : storeRefusal(turn, round, { observation: fault, toolCalls: [], answers: [] });
}

/** Stores and reports the calls before anything of them is dispatched. */
async function storeCalls(turn: Turn, round: Round, read: Extract<ReadRound, { kind: 'calls' }>): Promise<void> {
  const planned = plannedCalls(turn, round, read);
  await store(turn, planned, { events: callEvents(turn, planned) });
}

async function storeAnswer(turn: Turn, round: Round): Promise<void> {
  const ended: Round = { ...round, status: 'succeeded', finishedAt: nowIso() };
  await store(turn, ended, {
    events: [{ event: 'round', round: round.index, status: 'succeeded' }],
    messages: roundMessages({ round: ended, answers: [] }, writerOf(turn)),
  });
}

async function storeRefusal(turn: Turn, round: Round, { observation, answers, toolCalls }: Refusal): Promise<void> {
  const refused: Round = { ...round, status: 'refused', observation, finishedAt: nowIso() };
  await store(turn, refused, {
    events: [{ event: 'round', round: round.index, status: 'refused' }],
    messages: roundMessages({ round: refused, answers, observation, toolCalls }, writerOf(turn)),
  });
}

/** Also stores the events of the deliberation. */
async function store(turn: Turn, round: Round, step: Pick<TurnStep, 'events' | 'messages'>): Promise<void> {
  const { context, writer } = turn;
  const emitted = await context.events.take();
  await writer.commit({ ...step, fields: [[roundField(turn, round.index), round]], emitted });
  keepRound(turn, round);
}

function writerOf({ context }: Turn): { turn: string; at: string } {
  return { turn: context.work.id, at: nowIso() };
}

function describe({ text, reasoning, usage }: Deliberated, { warnings }: ReadRound): Partial<Round> {
  return {
    text,
    ...(reasoning !== undefined && { reasoning }),
    ...(usage && { usage }),
    ...(warnings.length > 0 && { warnings: warnings.map(({ message }) => message) }),
  };
}
