import { isFinal, sumUsage, type Round, type Status, type Step } from '@errand/contracts';
import type { Fields } from '../consume/journal.js';

/**
 * The rounds of a turn from the stored state, and the sum of their usage. A round that was not stored as ended ends with its step.
 * @param status the status of the step
 * @param finishedOn the end of the invocation in ms
 */
export function roundsOf(
  index: number,
  state: Fields,
  status: Status,
  finishedOn: number | undefined,
): Pick<Step, 'rounds' | 'usage'> {
  const prefix = `${index}:round.`;
  const rounds = [...state]
    .filter(([field]) => field.startsWith(prefix))
    .map(([, text]) => JSON.parse(text) as Round)
    .toSorted((one, other) => one.index - other.index)
    .map((round) => (isFinal(status) && round.status === 'running' ? ended(round, status, finishedOn) : round));
  return { rounds, usage: sumUsage(rounds) };
}

function ended(round: Round, status: Status, finishedOn: number | undefined): Round {
  const calls = round.calls.map((call) => (isFinal(call.status) ? call : { ...call, status: 'cancelled' as const }));
  const finishedAt = finishedOn === undefined ? null : new Date(finishedOn).toISOString();
  return { ...round, calls, status: status === 'succeeded' ? 'failed' : status, finishedAt };
}
