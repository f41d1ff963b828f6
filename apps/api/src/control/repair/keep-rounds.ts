import type { AgentLimits, NodeState, Round } from '@errand/contracts';
import { LAID_OVER, type PreviousRun } from '@errand/queue';

/** The fields of the new invocation. */
interface KeptFields {
  journal: Map<string, string>;
  state: Map<string, string>;
}

/**
 * Copies what a retried turn keeps: its ended rounds, and the nodes of the round that had not ended. Refused rounds at the end are kept only
 * if the caller allows more repairs; otherwise the model is asked once more.
 */
export function keepFinishedRounds(
  previousRun: PreviousRun,
  { journal, state }: KeptFields,
  index: number,
  limits: Partial<AgentLimits> | undefined,
): void {
  const ended = endedRounds(previousRun, index);
  const lastGood = ended.findLastIndex(({ status }) => status !== 'refused');
  const kept = limits?.maxRepairs === undefined ? ended.slice(0, lastGood + 1) : ended;
  for (const round of kept) state.set(`${index}:round.${round.index}`, JSON.stringify(round));
  const isKeptRound = (n: number) => n < kept.length || n === ended.length;
  const laidOver = previousRun.journal.get(LAID_OVER);
  if (laidOver !== undefined) journal.set(LAID_OVER, laidOver);
  for (const [field, text] of previousRun.journal) {
    const round = roundOfNode(field, index);
    if (round === undefined || !isKeptRound(round)) continue;
    const { status } = JSON.parse(text) as NodeState;
    if (status !== 'succeeded' && status !== 'skipped') continue;
    journal.set(field, text);
    const shown = previousRun.state.get(field);
    if (shown !== undefined) state.set(field, shown);
  }
}

/** The rounds before the first one that has not ended. */
function endedRounds({ state }: PreviousRun, index: number): Round[] {
  const rounds: Round[] = [];
  for (let n = 0; ; n++) {
    const text = state.get(`${index}:round.${n}`);
    const round = text === undefined ? undefined : (JSON.parse(text) as Round);
    if (!round || (round.status !== 'succeeded' && round.status !== 'refused')) return rounds;
    rounds.push(round);
  }
}

function roundOfNode(field: string, index: number): number | undefined {
  const [, step, round] = /^(\d+)\/round\.(\d+)\//.exec(field) ?? [];
  return step === String(index) ? Number(round) : undefined;
}
