import type { Implementation } from '@errand/contracts';
import type { EngineEvent } from '@errand/engine';
import type { StepContext } from './step-context.js';

/** What the engine tells, as events of the invocation. A single node is its step: its state is not told twice. */
export function tellEngineEvent(
  { events, index }: StepContext,
  event: EngineEvent,
  implementation: Implementation,
): void {
  switch (event.event) {
    case 'node':
      if (implementation.type === 'workflow')
        events.emit({ event: 'step', index, status: event.state.status, nodeId: event.state.nodeId });
      return;
    case 'log':
      return events.emit({ event: 'log', line: event.line, stream: 'node', step: index });
    case 'progress':
      return events.emit({ event: 'progress', value: event.value, ...(event.message && { message: event.message }) });
    case 'output':
      return events.emit({ event: 'output', step: index, chunk: event.chunk });
    default:
      return event satisfies never;
  }
}
