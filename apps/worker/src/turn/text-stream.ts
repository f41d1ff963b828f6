import type { EventWriter } from '@errand/queue';
import { ReadableTextFilter } from '@errand/protocol';

/** The longest text of one event, in characters. */
const MAX_DELTA = 65_536;

/** The round whose text is streamed. */
interface StreamedRound {
  events: Pick<EventWriter, 'emit'>;
  round: number;
  /** The id of the message that the text becomes. */
  messageId: string;
  /** The number of this start of the turn. */
  attempt: number;
  /** The field of the state that holds the id of the text that has begun. */
  field: string;
  /** The text that an earlier attempt began and that is not stored. */
  broken?: string;
}

/**
 * Emits the text of a round for people while the model writes it. A text that is begun again has another id, and a `discard` names the
 * first one.
 */
export class TextStream {
  private filter = new ReadableTextFilter();
  private pushed = '';
  private messageId: string;
  private discards = 0;
  private hasBegun = false;

  constructor(private readonly own: StreamedRound) {
    this.messageId = own.messageId;
    if (own.broken === undefined) return;
    this.discard(own.broken);
  }

  /** Takes the next piece of the whole text. */
  push(piece: string): void {
    this.pushed += piece;
    this.emit(this.filter.push(piece));
  }

  reason(delta: string): void {
    const { events, round, messageId } = this.own;
    if (delta !== '') events.emit({ event: 'reasoning', round, messageId: `${messageId}.r`, delta });
  }

  /**
   * Emits the rest of the text.
   * @param responseText what `parse` gives for `text`
   */
  end(text: string, responseText: string): void {
    if (this.pushed !== text) {
      // The workflow streams nothing, or it streams another text than it returns in the end.
      if (this.hasBegun) this.discard(this.messageId);
      this.filter = new ReadableTextFilter();
      this.emit(this.filter.push(text));
    }
    this.emit(this.filter.end(text, responseText));
  }

  private discard(messageId: string): void {
    const { events, attempt } = this.own;
    events.emit({ event: 'discard', messageId });
    this.messageId = `${this.own.messageId}.${attempt}${'x'.repeat(this.discards++)}`;
    this.hasBegun = false;
  }

  private emit(text: string): void {
    const { events, round, field } = this.own;
    const { messageId } = this;
    for (const delta of splitText(text)) {
      const begin = this.hasBegun ? [] : [[field, messageId] as const];
      events.emit({ event: 'text', round, messageId, delta }, ...begin);
      this.hasBegun = true;
    }
  }
}

/** Splits a text into pieces for one event each, without cutting a surrogate pair. */
function splitText(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const last = text.charCodeAt(at + MAX_DELTA - 1);
    const end = last >= 0xd800 && last <= 0xdbff ? at + MAX_DELTA - 1 : at + MAX_DELTA;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
