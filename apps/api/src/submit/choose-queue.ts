import { DEFAULT_LABEL, type Definition } from '@errand/contracts';
import { containsTemplate } from '@errand/protocol';
import type { QueueName, RecordedCall } from '@errand/queue';

/** A call with the definition of its tool. */
export interface DefinedCall {
  call: RecordedCall;
  definition: Definition;
}

/**
 * A single call of a script goes to the script-runners directly. It needs a worker if it waits for another result, if it runs once in its
 * session (the worker may have to wait for another call), or if it needs a label (the worker waits for a runner that offers it).
 */
export function chooseQueue([first, ...more]: readonly DefinedCall[], session?: string): QueueName {
  if (!first || more.length > 0) return 'invocations';
  const { call, definition } = first;
  const { effects, runner = DEFAULT_LABEL } = definition.tool;
  const mayWait = containsTemplate(call.arguments) || (session !== undefined && effects === 'once');
  const isPlain = definition.script !== undefined && runner === DEFAULT_LABEL;
  return isPlain && !mayWait ? 'scripts' : 'invocations';
}
