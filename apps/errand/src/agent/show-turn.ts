import type { Invocation, Json } from '@errand/contracts';
import type { SentEvent } from '../client/follow-invocation.js';
import { paintStatus, textOf } from '../show-invocation.js';
import { colour, escapeControls, print, say } from '../terminal.js';

const MAX_LINE = 300;

/** Shows a turn: its text on stdout as it arrives, and its calls and their ends as lines on stderr. */
export class TurnDisplay {
  /** The text of the present message. */
  private text = '';
  private message: string | undefined;
  private readonly tools = new Map<string, string>();

  show(event: SentEvent): void {
    switch (event.event) {
      case 'text':
        return this.showText(event.messageId, event.delta);
      case 'discard':
        return this.note('…', 'the text was broken off; the agent begins it again');
      case 'call':
        this.tools.set(event.callId, event.toolId);
        return this.note(colour.cyan('→'), `${event.toolId} ${JSON.stringify(event.arguments)}`);
      case 'called': {
        const { callId, status, result, error } = event;
        const outcome = error ? `${error.type}: ${error.message}` : textOf(result ?? null);
        return this.note(colour.cyan('←'), `${this.tools.get(callId) ?? callId} ${status}: ${outcome}`);
      }
      case 'round':
        if (event.status === 'refused') this.note(colour.yellow('!'), 'the agent corrects its calls');
        return;
      case 'gap':
        return this.note('…', event.message);
      default:
    }
  }

  /** Shows the answer, unless it is the text that was shown last; or the error. */
  showEnd({ status, result, error }: Invocation): void {
    const shown = this.text.trim();
    this.endText();
    if (status === 'succeeded') {
      const answer: Json = result ?? '';
      if (typeof answer !== 'string' || answer.trim() !== shown) print(textOf(answer));
    } else say(`${paintStatus(status)}${error ? `: ${escapeControls(`${error.type}: ${error.message}`)}` : ''}`);
  }

  /** Ends the line of the text, so that other lines may follow. */
  endText(): void {
    if (this.text !== '' && !this.text.endsWith('\n')) print();
    this.text = '';
    this.message = undefined;
  }

  private showText(messageId: string, delta: string): void {
    if (this.message !== messageId) this.endText();
    this.message = messageId;
    this.text += delta;
    process.stdout.write(escapeControls(delta));
  }

  private note(mark: string, text: string): void {
    this.endText();
    const line = escapeControls(text.slice(0, MAX_LINE + 1).replaceAll(/\s+/g, ' '));
    say(`  ${mark} ${text.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`);
  }
}
