import {
  own,
  type Failure,
  type Json,
  type JsonSchema,
  type Round,
  type Status,
  type Waiting,
} from '@errand/contracts';
import { AGUI_VERSION, type AguiEvent, type AguiInterrupt, type AguiOutcome, type AguiUsage } from './agui-events.js';

/** A run, as its client named it. */
export interface AguiRunIds {
  threadId: string;
  runId: string;
  parentRunId?: string;
  /** The turn that the run shows. Absent for a run that began none. */
  invocationId?: string;
}

/** An open wait of a turn: the step or node of a child that somebody has to answer. */
export interface AguiWait {
  /** The id of the interrupt. */
  id: string;
  waiting: Pick<Waiting, 'prompt' | 'schema' | 'until'>;
  /** The call whose run waits. */
  callId?: string;
}

/** The first event of each run. */
export function runStarted({ threadId, runId, parentRunId, invocationId }: AguiRunIds): AguiEvent {
  return {
    type: 'RUN_STARTED',
    threadId,
    runId,
    protocolVersion: AGUI_VERSION,
    ...(parentRunId !== undefined && { parentRunId }),
    ...(invocationId !== undefined && { metadata: { errand: { invocationId } } }),
  };
}

/** The end of a run at which the client has to act. Interrupts take precedence: a client answers them by the ids of the outcome only. */
export function runPaused(
  ids: AguiRunIds,
  { pending, open, waits }: { pending: readonly string[]; open: readonly string[]; waits: readonly AguiWait[] },
  usage: AguiUsage[],
): AguiEvent {
  const outcome: AguiOutcome =
    waits.length > 0
      ? { type: 'interrupt', interrupts: waits.map(toInterrupt) }
      : { type: 'success', ...(pending.length > 0 && { pendingToolCallIds: [...pending] }) };
  return runFinished(ids, outcome, { usage, open });
}

/** The end of a run with the end of its turn. */
export function runEnded(
  ids: AguiRunIds,
  { status, result, error }: { status: Status; result: Json; error: Failure | null },
  usage: AguiUsage[],
): AguiEvent {
  if (status === 'cancelled') return runFinished(ids, { type: 'cancelled' }, { usage });
  if (status !== 'succeeded') {
    const { type = 'LostError', message = 'The turn did not end' } = error ?? {};
    return runError({ message, code: type }, usage);
  }
  return runFinished(ids, { type: 'success' }, { usage, result });
}

/** The end of a run that was refused or that failed. `code` is a code of Errand's problems, or the type of an error. */
export function runError({ message, code }: { message: string; code: string }, usage: AguiUsage[] = []): AguiEvent {
  return { type: 'RUN_ERROR', message, code, ...(usage.length > 0 && { usage }) };
}

function runFinished(
  { threadId, runId, invocationId }: AguiRunIds,
  outcome: AguiOutcome,
  { usage, result = null, open = [] }: { usage: AguiUsage[]; result?: Json; open?: readonly string[] },
): AguiEvent {
  const errand = {
    ...(invocationId !== undefined && { invocationId }),
    ...(open.length > 0 && { openToolCallIds: [...open] }),
  };
  return {
    type: 'RUN_FINISHED',
    threadId,
    runId,
    // AG-UI has no null here: an absent result means the same.
    ...(result !== null && { result }),
    outcome,
    ...(usage.length > 0 && { usage }),
    ...(Object.keys(errand).length > 0 && { metadata: { errand } }),
  };
}

function toInterrupt({ id, waiting: { prompt, schema, until }, callId }: AguiWait): AguiInterrupt {
  const message = typeof prompt === 'string' ? prompt : prompt === undefined ? undefined : JSON.stringify(prompt);
  return {
    id,
    reason: 'answer',
    ...(message !== undefined && { message }),
    ...(callId !== undefined && { toolCallId: callId }),
    ...(isSchemaObject(schema) && { responseSchema: schema }),
    ...(until !== null && { expiresAt: until }),
  };
}

/** AG-UI has no boolean schemas. */
function isSchemaObject(schema: JsonSchema | boolean | undefined): schema is JsonSchema {
  return typeof schema === 'object';
}

/** The names under which model APIs report each number. */
const NUMBERS: { [Name in keyof AguiUsage]-?: readonly string[] } = {
  inputTokens: ['prompt_tokens', 'input_tokens', 'inputTokens'],
  outputTokens: ['completion_tokens', 'output_tokens', 'outputTokens'],
  totalTokens: ['total_tokens', 'totalTokens'],
  reasoningTokens: ['reasoning_tokens', 'reasoningTokens'],
  cachedInputTokens: ['cached_tokens', 'cache_read_input_tokens', 'cachedInputTokens'],
};

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}

/** The usage of those rounds that began in the run. Empty if the model API reported none. */
export function usageOf(rounds: readonly Pick<Round, 'index' | 'usage'>[], began: ReadonlySet<number>): AguiUsage[] {
  const sum: AguiUsage = {};
  for (const { index, usage = {} } of rounds) {
    if (!began.has(index)) continue;
    for (const [name, spellings] of Object.entries(NUMBERS)) {
      const count = spellings.map((key) => own(usage, key)).find((value) => isCount(value));
      if (count === undefined) continue;
      const key = name as keyof AguiUsage;
      sum[key] = (sum[key] ?? 0) + count;
    }
  }
  return Object.keys(sum).length > 0 ? [sum] : [];
}
