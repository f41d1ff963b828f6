import type { Definition } from '@errand/contracts';
import { containsTemplate } from '@errand/protocol';
import type { QueueName, RecordedCall } from '@errand/queue';

/** A call with what runs it. */
export interface Packed {
  call: RecordedCall;
  definition: Definition;
}

/**
 * One call of a script, packed, that waits for no other result, needs no worker: it goes to its runner in one hop. One that is to take
 * effect once in its session may have to wait for another.
 */
export function chooseQueue([first, ...more]: readonly Packed[], session?: string): QueueName {
  const { call, definition } = first!;
  const mayWait = containsTemplate(call.arguments) || (session !== undefined && definition.tool.effects === 'once');
  return more.length === 0 && definition.script !== undefined && !mayWait ? 'scripts' : 'invocations';
}
