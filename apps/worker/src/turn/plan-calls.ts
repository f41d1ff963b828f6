import { derivedInvocationId, type Round, type RoundCall, type TurnEvent } from '@errand/contracts';
import { nextAction, type ReadCall, type ReadRound } from '@errand/agents';
import type { Turn } from './turn.js';

type ReadCalls = Extract<ReadRound, { kind: 'calls' }>;

/**
 * The round with its calls, before they run. The ids of the calls and of the child follow from turn and round. The id that a model gave a
 * call stays, unless the turn has used it before.
 */
export function plannedCalls(turn: Turn, round: Round, { calls, native }: ReadCalls): Round {
  const { id } = turn.context.work;
  const used = new Set(turn.rounds.flatMap((earlier) => earlier.calls.map(({ callId }) => callId)));
  const planned = calls.map((call, n): RoundCall => {
    const isClient = turn.tools.isClient(call.toolId);
    return {
      callId: callIdOf(call, used, { turn: id, round: round.index, n }),
      toolId: call.toolId,
      ...(call.name !== call.toolId && { name: call.name }),
      arguments: call.arguments,
      status: 'running',
      ...(isClient && { client: true }),
    };
  });
  const invocationId = derivedInvocationId(`${id} ${turn.context.index} ${round.index}`, Date.parse(round.startedAt));
  return { ...round, calls: planned, ...(native && { native }), invocationId };
}

/** Ids of native calls have at most 40 characters, as OpenAI's API requires. */
function callIdOf(
  { givenId }: ReadCall,
  used: ReadonlySet<string>,
  { turn, round, n }: { turn: string; round: number; n: number },
): string {
  if (givenId === undefined) return `${turn}.${round}.c${n}`;
  return used.has(givenId) ? `call_${turn.slice(-24)}_${round}_${n}` : givenId;
}

/** An event for each call of a round. None if the calls exceed a limit, because they do not run then. */
export function callEvents({ rounds, limits }: Turn, round: Round): TurnEvent[] {
  const { index, invocationId = '' } = round;
  const earlier = rounds.slice(0, index);
  if (nextAction({ rounds: [...earlier, round], limits }).do !== 'dispatch') return [];
  return round.calls.map(({ callId, toolId, arguments: args, client = false }) => ({
    event: 'call',
    round: index,
    callId,
    toolId,
    arguments: args,
    invocationId,
    client,
  }));
}
