import {
  runEnded,
  runError,
  runPaused,
  usageOf,
  type AguiEvent,
  type AguiRun,
  type AguiRunIds,
  type AguiWait,
} from '@errand/agents';
import type { Failure, Round } from '@errand/contracts';
import { answerCalls } from '@errand/protocol';
import { answeredWaits, readInvocation, type Queues, type RunWait, type StoredInvocation } from '@errand/queue';
import { toProblem } from '../http/problem.filter.js';
import { findPlaces, type AnswerPlace } from './answer-places.js';
import { messagesSnapshot } from './messages-snapshot.js';
import type { RunRequest } from './run-view.js';

/** A run while it is shown. */
export interface ShownRun {
  request: RunRequest;
  ids: AguiRunIds;
  /** The id of its turn, and the number of the event behind which it begins. */
  turn: string;
  after: number;
  run: AguiRun;
}

const UNKNOWN_WAIT: AguiWait['waiting'] = { until: null };
/** No reading tool is named: the client has none. */
const NOTHING = { result: false, artifact: false };
const NO_TIMES = { startedAt: null, finishedAt: null, attempts: 1 };
const INTERRUPTED = 'The events cannot be read further now; run again with the same runId';

/** The end of a run with its turn. */
export function endWithTurn(shown: ShownRun, turn: StoredInvocation): AguiEvent[] {
  return closed(shown, turn, runEnded(shown.ids, turn, usageOf(roundsOf(turn), shown.run.rounds)));
}

/**
 * The end of a run whose turn waits, if its client has to act. Undefined if nothing is open any more: the run goes on.
 * A run that another run has answered ends with the waits that were open then.
 */
export async function endAtWait(queues: Queues, shown: ShownRun): Promise<AguiEvent[] | undefined> {
  const { request, ids, run, turn, after } = shown;
  const answered = (await answeredWaits(queues, turn)).find((answer) => answer.after > after);
  const { stored, places } = await readPlaces(queues, request.scope.tenant, turn);
  const open: readonly RunWait[] = answered?.open ?? places.filter((place) => !place.answered);
  if (open.length === 0) return undefined;
  const waits = interruptsOf(open, places);
  const calls = callsOf(open);
  const pending = run.pendingToolCallIds.filter((id) => calls.includes(id));
  // An interrupt outcome has no place for pending calls.
  const others = waits.length > 0 ? calls : calls.filter((id) => !pending.includes(id));
  const end = runPaused(ids, { pending, open: others, waits }, usageOf(roundsOf(stored), run.rounds));
  return closed(shown, stored, end);
}

/** The end of a run that had to leave waits open. */
export async function endWithOpen(
  queues: Queues,
  { scope }: RunRequest,
  ids: AguiRunIds,
  { turn, left }: { turn: string; left: readonly RunWait[] },
): Promise<AguiEvent> {
  const { places } = await readPlaces(queues, scope.tenant, turn);
  return runPaused(ids, { pending: [], open: callsOf(left), waits: interruptsOf(left, places) }, []);
}

/** The end of a run that cannot be shown further, although its turn may go on. Without an error, the API stops. */
export function failureOf(error?: unknown): AguiEvent {
  return runError({ code: error === undefined ? 'unavailable' : toProblem(error).code, message: INTERRUPTED });
}

/** The Observation of a failed call, as the model reads it. */
export function observeFailure(toolId: string, error: Failure): string {
  const step = { index: 0, toolId, version: '', arguments: {}, status: 'failed' as const, error, ...NO_TIMES };
  const [answer] = answerCalls({ id: '', steps: [step], status: 'failed', error }, { readable: NOTHING });
  return answer?.content ?? error.message;
}

export function roundsOf(turn: StoredInvocation | undefined): Round[] {
  return turn?.steps[0]?.rounds ?? [];
}

/** Closes what is open, before the end. */
function closed({ run, request }: ShownRun, turn: StoredInvocation | undefined, end: AguiEvent): AguiEvent[] {
  const hasBroken = run.discarded.size > 0 && turn !== undefined;
  const snapshot = hasBroken ? [messagesSnapshot(request.input, turn, run, observeFailure)] : [];
  return [...run.close(), ...snapshot, end];
}

async function readPlaces(queues: Queues, tenant: string, id: string) {
  const stored = await readInvocation(queues, tenant, id);
  return { stored, places: stored ? await findPlaces(queues, tenant, stored) : [] };
}

/** A wait that is over has its id only. */
function interruptsOf(open: readonly RunWait[], places: readonly AnswerPlace[]): AguiWait[] {
  const interrupts = open.filter(({ client }) => !client);
  return interrupts.map(({ id }) => places.find((place) => place.id === id) ?? { id, waiting: UNKNOWN_WAIT });
}

function callsOf(open: readonly RunWait[]): string[] {
  return open.flatMap(({ id, client }) => (client ? [id] : []));
}
