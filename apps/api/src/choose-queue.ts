import type { Definition } from '@errand/contracts';
import { containsTemplate } from '@errand/protocol';
import type { QueueName, RecordedCall } from '@errand/queue';

/** A call with what runs it. */
export interface Packed {
  call: RecordedCall;
  definition: Definition;
}

/** One call of a script, packed, that waits for no other result, needs no worker: it goes to its runner in one hop. */
export function chooseQueue([first, ...more]: readonly Packed[]): QueueName {
  const goesStraight =
    more.length === 0 && first!.definition.script !== undefined && !containsTemplate(first!.call.arguments);
  return goesStraight ? 'scripts' : 'invocations';
}
