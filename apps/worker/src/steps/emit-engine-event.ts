import type { Json, NodeState, Waiting } from '@errand/contracts';
import type { EngineEvent } from '@errand/engine';
import type { StepContext } from './step-context.js';

/** How much of a result is shown where a node's state is read; all of it stays in the journal. */
const SHOWN_CHARS = 4_096;
/** How much one event carries of a stream, and how much of a question is shown to who is to answer it. */
const TOLD_CHARS = 65_536;

/** Whose events they are. */
export interface EventScope {
  context: StepContext;
  /** Of a run for a node's call of a tool: before the keys of its nodes. */
  within: string;
  /** A single node is its step, whose state is not told twice, unless it says more. */
  single: boolean;
}

/** What the engine tells, as events and state of the invocation. */
export function emitEngineEvent({ context, within, single }: EventScope, event: EngineEvent): void {
  const { events, index, progress, work } = context;
  switch (event.event) {
    case 'node': {
      const { nodeId, waiting, status } = event.state;
      if (single && !waiting && !nodeId.includes('/') && work.attempt === 1) return;
      const shown = shownState(event.state, within);
      const told = { event: 'step', index, status, nodeId: shown.nodeId } as const;
      return events.emit(told, [`${index}/${shown.nodeId}`, shown]);
    }
    case 'log':
      return events.emit({ event: 'log', line: event.line, stream: 'node', step: index });
    case 'progress':
      // What runs for a call of a tool is a part of its node, which says itself how far it is.
      return within === '' ? progress.report(index, event.value, event.message) : undefined;
    case 'output':
      if (within !== '') return undefined;
      for (const chunk of portions(event.chunk))
        events.emit({ event: 'output', step: index, output: event.output, chunk });
      return undefined;
    default:
      return event satisfies never;
  }
}

function shownState({ result, waiting, ...state }: NodeState, within: string): NodeState {
  return {
    ...state,
    nodeId: within + state.nodeId,
    ...(result !== undefined && { result: cut(result, SHOWN_CHARS) }),
    ...(waiting && { waiting: shownWaiting(waiting, within) }),
  };
}

function shownWaiting({ key, prompt, ...waiting }: Waiting, within: string): Waiting {
  return {
    ...waiting,
    ...(key !== undefined && { key: within + key }),
    ...(prompt !== undefined && { prompt: cut(prompt, TOLD_CHARS) }),
  };
}

/** A long text in portions that an event may carry, so that nothing of a stream of text is lost; another value as `cut` leaves it. */
function portions(chunk: Json): Json[] {
  if (typeof chunk !== 'string' || chunk.length <= TOLD_CHARS) return [cut(chunk, TOLD_CHARS)];
  const starts = Array.from({ length: Math.ceil(chunk.length / TOLD_CHARS) }, (_, n) => n * TOLD_CHARS);
  return starts.map((start) => chunk.slice(start, start + TOLD_CHARS));
}

/** A value as it is, or, where its JSON is too long, the beginning of it and how long it is. */
function cut(value: Json, chars: number): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= chars ? value : `${text.slice(0, chars)}… (${text.length} characters)`;
}
