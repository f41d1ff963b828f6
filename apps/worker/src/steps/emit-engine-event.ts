import type { Json, NodeState, StatusChange, Waiting } from '@errand/contracts';
import type { EngineEvent } from '@errand/engine';
import type { StepContext } from './step-context.js';

/** The limit of a result in the state of a node, in characters. The journal has the whole result. */
const MAX_SHOWN_CHARS = 4_096;
/** The limit of one chunk of a stream, and of a prompt in the state of a node, in characters. */
const MAX_CHUNK_CHARS = 65_536;

/** The run that emits the events. */
interface EventScope {
  context: StepContext;
  /** The prefix of node keys: empty, or the key of the node that called the tool. */
  within: string;
  /** Whether the run has one node only. Its state is that of the step, so it is emitted only if it says more. */
  single: boolean;
}

/** Writes an event of the engine to the event stream and the state of the invocation. */
export function emitEngineEvent({ context, within, single }: EventScope, event: EngineEvent): void {
  const { events, index, progress, work } = context;
  switch (event.event) {
    case 'node': {
      const { nodeId, waiting, status } = event.state;
      if (single && !waiting && !nodeId.includes('/') && work.attempt === 1) return;
      const shown = shownState(event.state, within);
      const stepEvent = { event: 'step', index, status, nodeId: shown.nodeId, ...progressOf(event.state) } as const;
      return events.emit(stepEvent, [`${index}/${shown.nodeId}`, shown]);
    }
    case 'log':
      return events.emit({ event: 'log', line: event.line, stream: 'node', step: index });
    case 'progress':
      // A tool of a node does not report progress, because the node reports its own.
      return within === '' ? progress.report(index, event.value, event.message) : undefined;
    case 'output':
      if (within !== '') return undefined;
      for (const chunk of splitChunk(event.chunk))
        events.emit({ event: 'output', step: index, output: event.output, chunk });
      return undefined;
    default:
      return event satisfies never;
  }
}

/** What the status alone does not say. */
function progressOf({ status, attempts = 1, waiting }: NodeState): Pick<StatusChange, 'attempt' | 'waiting'> {
  return {
    ...(status === 'running' && attempts > 1 && { attempt: attempts }),
    ...(waiting && { waiting: waiting.for }),
  };
}

function shownState({ result, waiting, ...state }: NodeState, within: string): NodeState {
  return {
    ...state,
    nodeId: within + state.nodeId,
    ...(result !== undefined && { result: cut(result, MAX_SHOWN_CHARS) }),
    ...(waiting && { waiting: shownWaiting(waiting, within) }),
  };
}

function shownWaiting({ key, prompt, ...waiting }: Waiting, within: string): Waiting {
  return {
    ...waiting,
    ...(key !== undefined && { key: within + key }),
    ...(prompt !== undefined && { prompt: cut(prompt, MAX_CHUNK_CHARS) }),
  };
}

/** Splits a long text into chunks for one event each, so that a stream of text loses nothing. Cuts any other long value. */
function splitChunk(chunk: Json): Json[] {
  if (typeof chunk !== 'string' || chunk.length <= MAX_CHUNK_CHARS) return [cut(chunk, MAX_CHUNK_CHARS)];
  const starts = Array.from({ length: Math.ceil(chunk.length / MAX_CHUNK_CHARS) }, (_, n) => n * MAX_CHUNK_CHARS);
  return starts.map((start) => chunk.slice(start, start + MAX_CHUNK_CHARS));
}

/** Returns the value, or, if its JSON is too long, the beginning of the JSON with its length. */
function cut(value: Json, chars: number): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= chars ? value : `${text.slice(0, chars)}… (${text.length} characters)`;
}
