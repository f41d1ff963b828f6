import type { CallAnswer, Round, SessionMessage } from '@errand/contracts';

/** The turn that writes messages. */
export interface MessageWriter {
  /** The id of the turn. */
  turn: string;
  /** ISO 8601. */
  at: string;
}

/** The id of the message of the model in a round. */
export function assistantId(turn: string, round: number): string {
  return `${turn}.${round}.a`;
}

/** A round as messages: what the model wrote, then what it reads about its calls. */
interface AnsweredRound {
  round: Pick<Round, 'index' | 'text' | 'calls' | 'native'>;
  /** For native calls: the answer to each call, in order. */
  answers: readonly CallAnswer[];
  /** For calls in the text. Absent if nothing was called. */
  observation?: string;
  /** The calls as the model wrote them; by default from `round`. */
  toolCalls?: SessionMessage['toolCalls'];
}

/**
 * The messages of a round, with ids that follow from turn and round. Calls in the text: the text as it was written, then a message with
 * the Observation. Native calls: the message with its calls, then one `tool` message for each.
 */
export function roundMessages(
  { round, answers, observation, toolCalls }: AnsweredRound,
  writer: MessageWriter,
): SessionMessage[] {
  const { turn, at } = writer;
  const { index, text } = round;
  const shared = { invocationId: turn, round: index, at };
  const calls = toolCalls ?? (round.native ? callsOf(round) : []);
  const assistant: SessionMessage = {
    id: assistantId(turn, index),
    role: 'assistant',
    content: text,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(round.calls.length > 0 && { calledTools: [...new Set(round.calls.map(({ toolId }) => toolId))] }),
    ...shared,
  };
  if (calls.length > 0) {
    const names = new Map(calls.map(({ id, function: called }) => [id, called.name]));
    const tools = answers.map(({ callId, content }, n): SessionMessage => {
      const name = names.get(callId);
      return {
        id: `${turn}.${index}.t${n}`,
        role: 'tool',
        content,
        toolCallId: callId,
        ...(name !== undefined && { name }),
        ...shared,
      };
    });
    return [assistant, ...tools];
  }
  if (observation === undefined) return [assistant];
  return [assistant, { id: `${turn}.${index}.o`, role: 'observation', content: observation, ...shared }];
}

function callsOf({ calls }: AnsweredRound['round']): NonNullable<SessionMessage['toolCalls']> {
  return calls.map(({ callId, name, toolId, arguments: args }) => ({
    id: callId,
    type: 'function',
    function: { name: name ?? toolId, arguments: JSON.stringify(args) },
  }));
}
