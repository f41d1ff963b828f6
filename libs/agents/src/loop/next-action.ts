import { isFinal, sumUsage, ToolError, type AgentLimits, type Round, type Status } from '@errand/contracts';

/** Where a turn stands: its rounds, as they are stored, and the status of the child invocation of the last one. */
export interface TurnState {
  rounds: readonly Round[];
  limits: AgentLimits;
  /** Absent if the last round has no child, or the child is not enqueued. */
  child?: Status;
}

/** What a turn does next. `round` is an index into its rounds, or their number for a new one. */
export type NextAction =
  /** Run the deliberation workflow and read its answer. */
  | { do: 'deliberate'; round: number }
  /** Enqueue the child invocation that runs the calls. */
  | { do: 'dispatch'; round: number }
  /** Suspend until the child ends or waits for an answer. */
  | { do: 'wait'; round: number }
  /** Store the observation and the messages of the round. */
  | { do: 'observe'; round: number }
  /** The text of the round is the answer. */
  | { do: 'end'; round: number }
  | { do: 'fail'; error: ToolError };

/**
 * Decides what a turn does next, from its journal alone. The states of the last round, in order:
 *
 *   absent, or running without calls ─► deliberate
 *   running with calls               ─► dispatch ─► wait ─► observe     (by the status of the child)
 *   refused                          ─► deliberate the next round, or fail after too many repairs
 *   ended with calls                 ─► deliberate the next round, unless a limit is reached
 *   ended without calls              ─► end
 */
export function nextAction({ rounds, limits, child }: TurnState): NextAction {
  const last = rounds.at(-1);
  if (!last) return deliberate(0, rounds, limits);
  if (last.status === 'running') return continueRound(last, { rounds, limits, ...(child && { child }) });
  if (last.status === 'refused') return repair(rounds, limits);
  if (last.calls.length === 0) return { do: 'end', round: last.index };
  return deliberate(last.index + 1, rounds, limits);
}

function continueRound(last: Round, { rounds, limits, child }: TurnState): NextAction {
  const round = last.index;
  if (last.calls.length === 0) return deliberate(round, rounds, limits);
  if (child !== undefined) return { do: isFinal(child) ? 'observe' : 'wait', round };
  const calls = rounds.reduce((sum, one) => sum + one.calls.length, 0);
  if (calls > limits.maxToolCalls) return exceeded('maxToolCalls', limits.maxToolCalls, 'calls');
  return { do: 'dispatch', round };
}

function repair(rounds: readonly Round[], limits: AgentLimits): NextAction {
  const { maxRepairs } = limits;
  const lastGood = rounds.findLastIndex(({ status }) => status !== 'refused');
  const refused = rounds.length - 1 - lastGood;
  if (refused <= maxRepairs) return deliberate(rounds.length, rounds, limits);
  const { observation = '' } = rounds.at(-1) ?? {};
  const message = `The answer of the model was refused ${refused} times in a row, and ${maxRepairs} repairs are allowed. The last refusal: ${observation}`;
  return { do: 'fail', error: new ToolError('OutputError', message, { limit: 'maxRepairs', value: maxRepairs }) };
}

function deliberate(round: number, rounds: readonly Round[], limits: AgentLimits): NextAction {
  const { maxRounds, maxTokens } = limits;
  if (round >= maxRounds) return exceeded('maxRounds', maxRounds, 'rounds');
  if (maxTokens !== undefined && tokensOf(rounds) >= maxTokens) return exceeded('maxTokens', maxTokens, 'tokens');
  return { do: 'deliberate', round };
}

function exceeded(limit: keyof AgentLimits, value: number, what: string): NextAction {
  const message = `The turn needs more than its limit of ${value} ${what} (${limit}); retry it with a higher limit to go on`;
  return { do: 'fail', error: new ToolError('ResourceLimitError', message, { limit, value }) };
}

/** The tokens of all rounds: `total_tokens`, else the sum of the tokens of prompt and completion. */
export function tokensOf(rounds: readonly Round[]): number {
  const usage = sumUsage(rounds);
  return usage['total_tokens'] ?? (usage['prompt_tokens'] ?? 0) + (usage['completion_tokens'] ?? 0);
}
