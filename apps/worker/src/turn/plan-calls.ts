import { derivedInvocationId, type Round, type RoundCall, type TurnEvent } from '@errand/contracts';
import { placeBeside } from '@errand/queue';
import { nextAction, type ReadCall, type ReadRound } from '@errand/agents';
import { stepsReferredTo } from '@errand/protocol';
import { matchesGlob } from '@errand/registry';
import { backgroundId } from './background-calls.js';
import type { Turn } from './turn.js';

type ReadCalls = Extract<ReadRound, { kind: 'calls' }>;

/**
 * The round with its calls, before they run. The ids of the calls and of the child follow from turn and round. The id that a model gave a
 * call stays, unless the turn has used it before.
 */
export function plannedCalls(turn: Turn, round: Round, { calls, native }: ReadCalls): Round {
  const { id } = turn.context.work;
  const used = new Set(turn.rounds.flatMap((earlier) => earlier.calls.map(({ callId }) => callId)));
  const isChained = calls.some((call) => stepsReferredTo(call.arguments).length > 0);
  const planned = calls.map((call, n): RoundCall => {
    const isClient = turn.tools.isClient(call.toolId);
    // Calls that take results of each other run in one invocation.
    const isBackground =
      !isClient && !isChained && turn.agent.backgroundTools.some((glob) => matchesGlob(call.toolId, glob));
    return {
      callId: callIdOf(call, used, { turn: id, round: round.index, n }),
      toolId: call.toolId,
      ...(call.name !== call.toolId && { name: call.name }),
      arguments: call.arguments,
      status: 'running',
      ...(isClient && { client: true }),
      ...(isBackground && {
        background: true,
        status: 'succeeded' as const,
        result: `started as ${backgroundId(turn, round, n)}`,
      }),
    };
  });
  const derived = derivedInvocationId(`${id} ${turn.context.index} ${round.index}`, Date.parse(round.startedAt));
  const invocationId = placeBeside(id, derived);
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
export function callEvents(turn: Turn, round: Round): TurnEvent[] {
  const { rounds, limits } = turn;
  const { index, invocationId = '' } = round;
  const earlier = rounds.slice(0, index);
  if (nextAction({ rounds: [...earlier, round], limits }).do !== 'dispatch') return [];
  return round.calls.flatMap(({ callId, toolId, arguments: args, client = false, background, result }, n) => {
    const child = background ? backgroundId(turn, round, n) : invocationId;
    const call: TurnEvent = {
      event: 'call',
      round: index,
      callId,
      toolId,
      arguments: args,
      invocationId: child,
      client,
    };
    if (!background) return [call];
    return [
      call,
      { event: 'called', round: index, callId, status: 'succeeded', ...(result !== undefined && { result }) },
    ];
  });
}
