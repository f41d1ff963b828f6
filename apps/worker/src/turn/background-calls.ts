import { Inject, Injectable } from '@nestjs/common';
import { derivedInvocationId, isFinal, type Round, type RoundCall, type SessionMessage } from '@errand/contracts';
import { observeInvocation } from '@errand/protocol';
import {
  addWaiter,
  joinOrder,
  placeBeside,
  Queues,
  readConversation,
  readInvocation,
  submitInvocations,
  type InvocationRecord,
  type RecordedCall,
  type StoredInvocation,
} from '@errand/queue';
import { SuspendedForInvocation } from '../steps/await-invocation.js';
import { budgetOf } from './report-calls.js';
import { nowIso, type Turn } from './turn.js';

/** The newest messages among which the report of a call is looked for. */
const RECENT = { maxChars: 1_000_000, maxMessages: 400 };

/** The id of the invocation that runs a background call. It follows from the turn, the round and the position of the call. */
export function backgroundId({ context }: Turn, { index, startedAt }: Round, n: number): string {
  const { id } = context.work;
  return placeBeside(id, derivedInvocationId(`${id} ${context.index} ${index} background ${n}`, Date.parse(startedAt)));
}

/**
 * Calls that do not hold a turn. Each runs in an invocation of its own. A turn waits for its end: it appends the end to the conversation, and
 * lets the agent read it, unless another turn has read it by then.
 */
@Injectable()
export class BackgroundCalls {
  constructor(@Inject(Queues) private readonly queues: Queues) {}

  /** Enqueues the call and the turn that reports its end. Both happen once, also if this is repeated. */
  async start(turn: Turn, round: Round, call: RoundCall, recorded: RecordedCall): Promise<void> {
    const { work, index, call: own } = turn.context;
    const { tenant, depth = 0 } = work.record;
    const n = round.calls.indexOf(call);
    const id = backgroundId(turn, round, n);
    const shared = { tenant, session: turn.conversation.session, mode: 'sequence' as const, depth: depth + 1 };
    const parentTurn = { invocationId: work.id, step: index, round: round.index };
    const { agentId } = turn.agent;
    const record: InvocationRecord = { ...shared, calls: [recorded], agent: agentId, parentTurn };
    const message = `tool.ended ${call.toolId} (${id})`;
    const { onError: _, callId: __, ...agentCall } = own;
    const report: InvocationRecord = {
      ...shared,
      calls: [{ ...agentCall, arguments: { messages: [{ role: 'event', content: message }] } }],
      awaits: id,
    };
    const reportId = placeBeside(id, derivedInvocationId(`${id} report`, Date.parse(round.startedAt)));
    const results = await submitInvocations(this.queues, [
      { queue: 'invocations', id, record },
      { queue: 'invocations', id: reportId, record: report },
    ]);
    for (const result of results) if (result instanceof Error) throw result;
  }

  /**
   * Waits for the end of the background call that a turn reports, and appends it to the conversation. The turn then takes its place in the
   * order of turns.
   * @throws SuspendedForInvocation while the call runs
   */
  async awaitEnd(turn: Turn, awaited: string): Promise<void> {
    const { work } = turn.context;
    const ended = await this.endOf(turn, awaited);
    const observation = ended
      ? observeInvocation(ended, budgetOf(turn))
      : 'Observation: Error - Its result was removed.';
    const content = `tool.ended ${awaited}\n${observation}`;
    const message: SessionMessage = {
      id: `${awaited}.e`,
      role: 'event',
      content,
      name: 'tool.ended',
      invocationId: work.id,
      round: null,
      at: nowIso(),
    };
    await turn.writer.commit({ messages: [message] });
    await joinOrder(this.queues, turn.conversation, work.id);
  }

  /**
   * Whether a round has read the end of the call. A round reads all messages before its beginning, so it has read the end if its own
   * observation, or a message of the user, stands between the end and its text.
   */
  async isRead(turn: Turn, awaited: string): Promise<boolean> {
    const { messages } = await readConversation(this.queues, turn.conversation, RECENT);
    const behind = messages.slice(messages.findIndex(({ id }) => id === `${awaited}.e`) + 1);
    const begin = behind.findIndex(({ role }) => role !== 'assistant');
    return begin !== -1 && behind.slice(begin).some(({ role }) => role === 'assistant');
  }

  private async endOf({ context }: Turn, awaited: string): Promise<StoredInvocation | undefined> {
    const { tenant } = context.work.record;
    const found = await readInvocation(this.queues, tenant, awaited);
    if (!found || isFinal(found.status)) return found;
    const lookAgainAt = await addWaiter(this.queues, awaited, context.work.id);
    const last = await readInvocation(this.queues, tenant, awaited);
    if (!last || isFinal(last.status)) return last;
    throw new SuspendedForInvocation(awaited, lookAgainAt);
  }
}
