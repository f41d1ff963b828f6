import { DEFAULT_LABEL, type Definition } from '@errand/contracts';
import { containsTemplate } from '@errand/protocol';
import type { QueueName, RecordedCall } from '@errand/queue';

/** A call with what runs it. */
export interface DefinedCall {
  call: RecordedCall;
  definition: Definition;
}

/**
 * One call of a script, packed, that waits for no other result, needs no worker: it goes to its runner in one hop. One that is to take
 * effect once in its session may have to wait for another; one that asks for a label, for somebody who offers that.
 */
export function chooseQueue([first, ...more]: readonly DefinedCall[], session?: string): QueueName {
  const { call, definition } = first!;
  const { effects, runner = DEFAULT_LABEL } = definition.tool;
  const mayWait = containsTemplate(call.arguments) || (session !== undefined && effects === 'once');
  const isPlain = definition.script !== undefined && runner === DEFAULT_LABEL;
  return more.length === 0 && isPlain && !mayWait ? 'scripts' : 'invocations';
}
