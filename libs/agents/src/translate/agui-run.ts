import type { Failure, InvocationEvent, Json, Round, Status, TurnEvent } from '@errand/contracts';
import type { AguiEvent } from './agui-events.js';

/** A call of the turn as a run knows it. */
interface KnownCall {
  toolId: string;
  /** The id of the tool message with its result. */
  messageId: string;
  client: boolean;
}

/** The turn that a run shows. */
export interface AguiTurn {
  /** The id of the turn. */
  id: string;
  /** The rounds as they are now. A call of an earlier run may end in this one. */
  rounds: readonly Pick<Round, 'index' | 'calls'>[];
  /** The Observation of a failed call. */
  observeFailure: (toolId: string, error: Failure) => string;
}

const NOT_ENDED: Failure = { type: 'CancelledError', message: 'The call did not run to its end' };

/**
 * Translates the events of a turn to those of AG-UI, one after another. Every opened step, message and reasoning is closed before anything
 * that may not stand inside it, and by `close` at the latest. A call is opened and closed at once, so that no path leaves it open.
 *
 * States: at most one of text (`textId`) and reasoning (`reasoningId`) is open, and at most one step (`round`).
 */
export class AguiRun {
  private round: number | undefined;
  private textId: string | undefined;
  private reasoningId: string | undefined;
  private readonly known = new Map<string, KnownCall>();
  /** The number of calls of each round so far. */
  private readonly counts = new Map<number, number>();
  /** The message of each round. A text that was broken off has another id than the one after it. */
  private readonly messageIds = new Map<number, string>();
  private readonly broken = new Set<string>();
  private readonly began = new Set<number>();
  private readonly opened = new Set<string>();
  private readonly pending = new Set<string>();

  constructor(private readonly turn: AguiTurn) {
    for (const { index, calls } of turn.rounds)
      for (const { callId, toolId, client = false } of calls) this.learn(index, { callId, toolId, client });
  }

  /** The calls that this run has opened, and that the client itself has to run. */
  get pendingToolCallIds(): string[] {
    return [...this.pending];
  }

  /** The rounds that began in this run. */
  get rounds(): ReadonlySet<number> {
    return this.began;
  }

  /** The texts that were broken off. */
  get discarded(): ReadonlySet<string> {
    return this.broken;
  }

  /** The id of the assistant's message of a round. */
  messageOf(round: number): string {
    return this.messageIds.get(round) ?? `${this.turn.id}.${round}.a`;
  }

  /** The events for one event of the turn. Events that AG-UI does not have give none. */
  translate(event: Exclude<InvocationEvent, { event: 'end' }>): AguiEvent[] {
    switch (event.event) {
      case 'round':
        return this.ofRound(event.round, event.status);
      case 'text':
        return this.ofText(event);
      case 'reasoning':
        return this.ofReasoning(event);
      case 'call':
        return this.ofCall(event);
      case 'called':
        return this.ofEnd(event);
      case 'state':
        return event.scope === 'world' && event.patch.length > 0 ? [{ type: 'STATE_DELTA', delta: event.patch }] : [];
      case 'discard':
        this.broken.add(event.messageId);
        return [...this.closeReasoning(), ...this.closeText()];
      default:
        return [];
    }
  }

  /** Closes everything that is open. */
  close(): AguiEvent[] {
    return [...this.closeReasoning(), ...this.closeText(), ...this.closeStep()];
  }

  private ofRound(round: number, status: Round['status']): AguiEvent[] {
    if (status === 'running' || status === 'queued') return this.openStep(round);
    return this.round === round ? this.close() : [];
  }

  private openStep(round: number): AguiEvent[] {
    if (this.round === round) return [];
    const closing = this.close();
    this.round = round;
    this.began.add(round);
    return [...closing, { type: 'STEP_STARTED', stepName: stepName(round) }];
  }

  private closeStep(): AguiEvent[] {
    if (this.round === undefined) return [];
    const name = stepName(this.round);
    this.round = undefined;
    return [{ type: 'STEP_FINISHED', stepName: name }];
  }

  private ofText({ round, messageId, delta }: TurnEvent & { event: 'text' }): AguiEvent[] {
    if (delta === '' || this.broken.has(messageId)) return [];
    const events = this.closeReasoning();
    if (this.textId !== messageId) {
      events.push(...this.closeText(), { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
      this.textId = messageId;
      this.messageIds.set(round, messageId);
    }
    events.push({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });
    return events;
  }

  private closeText(): AguiEvent[] {
    if (this.textId === undefined) return [];
    const messageId = this.textId;
    this.textId = undefined;
    return [{ type: 'TEXT_MESSAGE_END', messageId }];
  }

  private ofReasoning({ round, messageId: given, delta }: TurnEvent & { event: 'reasoning' }): AguiEvent[] {
    if (delta === '' || this.broken.has(given)) return [];
    const messageId = this.reasoningIdOf(round, given);
    const events: AguiEvent[] = [];
    if (this.reasoningId !== messageId) {
      events.push(...this.closeReasoning(), ...this.closeText());
      events.push({ type: 'REASONING_START', messageId });
      events.push({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' });
      this.reasoningId = messageId;
    }
    events.push({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta });
    return events;
  }

  /** Clients take two messages with one id for the same: a reasoning has another id than its text, and than one that was broken off. */
  private reasoningIdOf(round: number, given: string): string {
    const own = given === this.messageOf(round) ? `${given}.reasoning` : given;
    return this.broken.size === 0 ? own : `${own}.${this.broken.size + 1}`;
  }

  private closeReasoning(): AguiEvent[] {
    if (this.reasoningId === undefined) return [];
    const messageId = this.reasoningId;
    this.reasoningId = undefined;
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }

  private ofCall({ round, callId, toolId, arguments: args, client }: TurnEvent & { event: 'call' }): AguiEvent[] {
    if (this.opened.has(callId)) return [];
    this.opened.add(callId);
    this.learn(round, { callId, toolId, client });
    if (client) this.pending.add(callId);
    return [
      ...this.closeReasoning(),
      ...this.closeText(),
      { type: 'TOOL_CALL_START', toolCallId: callId, toolCallName: toolId, parentMessageId: this.messageOf(round) },
      { type: 'TOOL_CALL_ARGS', toolCallId: callId, delta: JSON.stringify(args) },
      { type: 'TOOL_CALL_END', toolCallId: callId },
    ];
  }

  private learn(round: number, { callId, toolId, client }: { callId: string; toolId: string; client: boolean }): void {
    if (this.known.has(callId)) return;
    const index = this.counts.get(round) ?? 0;
    this.counts.set(round, index + 1);
    this.known.set(callId, { toolId, client, messageId: `${this.turn.id}.${round}.t${index}` });
  }

  /** The result of a server's tool. That of a client's tool came from the client, which knows it. */
  private ofEnd({ callId, status, result, error }: TurnEvent & { event: 'called' }): AguiEvent[] {
    const call = this.known.get(callId);
    this.pending.delete(callId);
    if (!call || call.client) return [];
    const content = contentOf(call.toolId, { status, result, error }, this.turn.observeFailure);
    return [
      ...this.closeReasoning(),
      ...this.closeText(),
      { type: 'TOOL_CALL_RESULT', messageId: call.messageId, toolCallId: callId, content, role: 'tool' },
    ];
  }
}

/** The text of the end of a call: a result that is text as it is, another one as JSON, and the Observation of a failure. */
export function contentOf(
  toolId: string,
  { status, result, error }: { status: Status; result?: Json | undefined; error?: Failure | undefined },
  observeFailure: AguiTurn['observeFailure'],
): string {
  if (status !== 'succeeded' || error) return observeFailure(toolId, error ?? NOT_ENDED);
  return typeof result === 'string' ? result : JSON.stringify(result ?? null);
}

function stepName(round: number): string {
  return `round ${round}`;
}
