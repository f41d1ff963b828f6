import { contentOf, type AguiInput, type AguiMessage, type AguiRun, type AguiTurn } from '@errand/agents';
import type { Round, RoundCall, ToolLookup } from '@errand/contracts';
import { parse, withoutThoughts } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import { sentMessages } from './run-view.js';

/** The text before a block does not depend on the tools. */
const NO_TOOLS: ToolLookup = {
  find: () => undefined,
  suggest: () => undefined,
  validate: (_tool, args) => ({ arguments: args, problems: [] }),
};

/** The part of a turn that a snapshot shows. */
interface SnapshotTurn {
  id: string;
  steps: readonly Pick<StoredInvocation['steps'][number], 'rounds'>[];
}

/**
 * The messages of the client after a text was broken off: those that it sent, and those of the turn. Clients remove every other message, so
 * that the broken one is gone.
 */
export function messagesSnapshot(
  input: AguiInput,
  turn: SnapshotTurn,
  run: AguiRun,
  observeFailure: AguiTurn['observeFailure'],
): { type: 'MESSAGES_SNAPSHOT'; messages: AguiMessage[] } {
  const rounds = turn.steps[0]?.rounds ?? [];
  const own = new Map(
    rounds.flatMap((round) => messagesOf(round, turn.id, run, observeFailure)).map((message) => [message.id, message]),
  );
  const sent = sentMessages(input).filter(({ id }) => !run.discarded.has(id));
  const known = new Set(sent.map(({ id }) => id));
  const added = [...own.values()].filter(({ id }) => !known.has(id));
  return { type: 'MESSAGES_SNAPSHOT', messages: [...sent.map((message) => own.get(message.id) ?? message), ...added] };
}

function messagesOf(
  round: Round,
  turn: string,
  run: AguiRun,
  observeFailure: AguiTurn['observeFailure'],
): AguiMessage[] {
  const content = readableText(round.text);
  const toolCalls = round.calls.map(({ callId, toolId, arguments: args }) => ({
    id: callId,
    type: 'function' as const,
    function: { name: toolId, arguments: JSON.stringify(args) },
  }));
  if (content === '' && toolCalls.length === 0) return [];
  const assistant: AguiMessage = {
    id: run.messageOf(round.index),
    role: 'assistant',
    ...(content !== '' && { content }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
  const results = [...round.calls.entries()].filter(([, call]) => !call.client && hasEnded(call));
  const tools = results.map(([n, call]): AguiMessage => ({
    id: `${turn}.${round.index}.t${n}`,
    role: 'tool',
    toolCallId: call.callId,
    content: contentOf(call.toolId, call, observeFailure),
  }));
  return [assistant, ...tools];
}

function hasEnded({ status }: RoundCall): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

function readableText(text: string): string {
  return withoutThoughts(text, parse(text, { tools: NO_TOOLS }).responseText).trim();
}
