import { isFinal, type Status } from '@errand/contracts';
import type { A2aArtifact, A2aArtifactUpdate, A2aStatus, A2aStatusUpdate, A2aUpdate } from './a2a-shapes.js';
import { ANSWER, answerOf, filesOf } from './to-a2a-task.js';
import { stateOf, toA2aStatus } from './to-a2a-status.js';
import type { Turn } from './turn-of.js';

type Place = Pick<Turn, 'id' | 'contextId'>;

/** The event of the server-sent stream that the translation reads. Other events have no part in A2A. */
export type TaskEvent =
  | { event: 'status'; status: Status; at: string }
  | { event: 'text'; messageId: string; delta: string }
  | { event: 'discard'; messageId: string };

/**
 * Translates the events of a turn to updates of its task. The text of a message is sent in chunks of the artifact `answer`. The first chunk of
 * another message replaces what was sent before: the text of an earlier round is not the answer, and a discarded text is void.
 */
export class TaskUpdates {
  private messageId: string | undefined;
  private text = '';
  private status: Status | undefined;

  constructor(private readonly place: Place) {}

  /** Takes a status that the client knows already. */
  begin(status: Status): void {
    this.status = status;
  }

  /** The text that was sent so far, as an artifact; undefined without any. */
  get begun(): A2aArtifact | undefined {
    return this.text === '' ? undefined : chunkOf(this.text);
  }

  /** The status must not be final, nor a wait: `rest` reports these, with what the turn says about them. */
  take(event: TaskEvent): A2aUpdate[] {
    if (event.event === 'status') return this.takeStatus(event);
    if (event.event === 'discard') {
      if (this.messageId === event.messageId) this.messageId = undefined;
      return [];
    }
    const append = this.messageId === event.messageId && this.text !== '';
    this.messageId = event.messageId;
    this.text = append ? this.text + event.delta : event.delta;
    return [artifactUpdate(this.place, chunkOf(event.delta), { append, lastChunk: false })];
  }

  /** The updates of a turn that has ended or waits for an answer: its artifacts, then its status. */
  rest(turn: Turn): A2aUpdate[] {
    const files = isFinal(turn.status) ? filesOf(turn) : [];
    return [
      ...(turn.status === 'succeeded' ? [this.lastChunk(turn)] : []),
      ...files.map((file) => artifactUpdate(this.place, file, { append: false, lastChunk: true })),
      ...this.changeStatus(turn.status, toA2aStatus(turn)),
    ];
  }

  /** A task does not go back to SUBMITTED, although its turn waits in the queue again after the death of a worker. */
  private takeStatus({ status, at }: { status: Status; at: string }): A2aStatusUpdate[] {
    if (status === 'queued' && this.status !== undefined) return [];
    return this.changeStatus(status, { state: stateOf(status), timestamp: at });
  }

  /** An empty chunk ends an answer that was sent as text. Otherwise the whole answer replaces what was sent. */
  private lastChunk(turn: Turn): A2aArtifactUpdate {
    const isSent = this.text !== '' && turn.result === this.text;
    return artifactUpdate(this.place, isSent ? chunkOf('') : answerOf(turn), { append: isSent, lastChunk: true });
  }

  private changeStatus(status: Status, changed: A2aStatus): A2aStatusUpdate[] {
    if (this.status === status) return [];
    this.status = status;
    return [statusUpdate(this.place, changed)];
  }
}

export function statusUpdate({ id, contextId }: Place, status: A2aStatus): A2aStatusUpdate {
  return { statusUpdate: { taskId: id, contextId, status } };
}

function artifactUpdate(
  { id, contextId }: Place,
  artifact: A2aArtifact,
  { append, lastChunk }: { append: boolean; lastChunk: boolean },
): A2aArtifactUpdate {
  return { artifactUpdate: { taskId: id, contextId, artifact, append, lastChunk } };
}

function chunkOf(text: string): A2aArtifact {
  return { artifactId: ANSWER, name: ANSWER, parts: [{ text }] };
}
