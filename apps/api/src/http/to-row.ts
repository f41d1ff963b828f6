import { isFinal, type InvocationRow, type Question, type Step } from '@errand/contracts';
import type { ListedInvocation } from '@errand/queue';

/** The longest JSON of a row, in bytes. */
const MOST_BYTES = 2_048;
const MOST_TOOLS = 16;
/** The longest texts of a row in characters. If a row is too large, each is halved until it fits. */
const LENGTHS = { session: 256, agent: 256, toolIds: 256, errorMessage: 400, waitingFor: 200 };
const CUT = '…';

type Lengths = { [Field in keyof typeof LENGTHS]: number };

/**
 * The row of an invocation.
 * @param steps its steps with their present statuses
 * @param wait what it waits for, besides an answer
 */
export function toRow(invocation: ListedInvocation, steps: readonly Step[], wait?: string): InvocationRow {
  let lengths: Lengths = LENGTHS;
  for (;;) {
    const row = rowWith(invocation, steps, lengths, wait);
    if (Buffer.byteLength(JSON.stringify(row)) <= MOST_BYTES) return row;
    lengths = halved(lengths);
  }
}

function rowWith(
  invocation: ListedInvocation,
  steps: readonly Step[],
  lengths: Lengths,
  wait: string | null = null,
): InvocationRow {
  const { id, status, createdAt, startedAt, finishedAt, agent, session, progress, error } = invocation;
  return {
    id,
    status,
    createdAt,
    startedAt,
    finishedAt,
    agent: cut(agent, lengths.agent),
    session: cut(session, lengths.session),
    toolIds: toolsOf(steps, lengths.toolIds),
    steps: { total: steps.length, done: steps.filter((step) => isFinal(step.status)).length },
    attempts: Math.max(0, ...steps.map(({ attempts }) => attempts)),
    progress,
    errorType: error?.type ?? null,
    errorMessage: cut(error?.message ?? null, lengths.errorMessage),
    waitingFor: cut(invocation.waiting ? whatIsAsked(invocation.waiting) : wait, lengths.waitingFor),
    retryOf: invocation.retryOf?.invocationId ?? null,
  };
}

function toolsOf(steps: readonly Step[], length: number): string[] {
  const most = Math.ceil((MOST_TOOLS * length) / LENGTHS.toolIds);
  const tools = [...new Set(steps.map(({ toolId }) => toolId))];
  const shown = tools.slice(0, most).map((toolId) => cut(toolId, length) ?? '');
  return tools.length > most ? [...shown, CUT] : shown;
}

function whatIsAsked({ step, nodeId, prompt }: Question): string {
  const where = nodeId === undefined ? `step ${step}` : `node ${nodeId} of step ${step}`;
  const asked = prompt === undefined ? '' : `: ${typeof prompt === 'string' ? prompt : JSON.stringify(prompt)}`;
  return `an answer to ${where}${asked}`;
}

/** Cuts between whole characters: half of a surrogate pair would be no text. */
function cut(text: string | null, length: number): string | null {
  if (text === null || text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}${CUT}`;
}

function halved(lengths: Lengths): Lengths {
  return Object.fromEntries(
    Object.entries(lengths).map(([field, length]) => [field, Math.floor(length / 2)]),
  ) as Lengths;
}
