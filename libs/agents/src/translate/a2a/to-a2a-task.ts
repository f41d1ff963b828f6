import type { Round } from '@errand/contracts';
import type { A2aArtifact, A2aMessage, A2aTask } from './a2a-shapes.js';
import { agentMessage, partOf, toA2aStatus } from './to-a2a-status.js';
import type { Turn } from './turn-of.js';

/** The id of the artifact with the answer of a turn. */
export const ANSWER = 'answer';

export interface TaskOptions {
  /** The text for people in the text of a model: without blocks and thoughts. */
  readable: (text: string) => string;
  /** How many of the newest messages the history has. Absent: all. */
  historyLength?: number | undefined;
  /** The list of tasks leaves the artifacts out. */
  withArtifacts?: boolean;
}

/** A turn as a task: its status, its answer and files, and its messages. */
export function toA2aTask(turn: Turn, { readable, historyLength, withArtifacts = true }: TaskOptions): A2aTask {
  const history = historyLength === 0 ? [] : historyOf(turn, readable);
  return {
    id: turn.id,
    contextId: turn.contextId,
    status: toA2aStatus(turn),
    artifacts: withArtifacts ? artifactsOf(turn) : [],
    history: historyLength === undefined ? history : history.slice(-historyLength || history.length),
  };
}

/** The answer of a turn that has succeeded, and the files of its scripts. */
export function artifactsOf(turn: Turn): A2aArtifact[] {
  const answer = turn.status === 'succeeded' ? [answerOf(turn)] : [];
  return [...answer, ...filesOf(turn)];
}

export function answerOf({ result }: Turn): A2aArtifact {
  return { artifactId: ANSWER, name: ANSWER, parts: [partOf(result)] };
}

export function filesOf({ files }: Turn): A2aArtifact[] {
  return files.map(({ id, name, contentType, url }) => ({
    artifactId: id,
    name,
    parts: [{ url, filename: name, mediaType: contentType }],
  }));
}

/** The messages of a turn in the conversation, oldest first: those of the user, then the text of each round. */
function historyOf(turn: Turn, readable: TaskOptions['readable']): A2aMessage[] {
  const given = turn.given.map(({ id, content }): A2aMessage => ({
    messageId: id,
    contextId: turn.contextId,
    taskId: turn.id,
    role: 'ROLE_USER',
    parts: [{ text: content }],
  }));
  return [...given, ...turn.rounds.flatMap((round) => roundMessage(turn, round, readable))];
}

/** A refused round is between the agent and its model. */
function roundMessage(turn: Turn, { index, status, text }: Round, readable: TaskOptions['readable']): A2aMessage[] {
  const said = status === 'refused' ? '' : readable(text).trim();
  return said === '' ? [] : [agentMessage(turn, `${index}.a`, [{ text: said }])];
}
