import { DEFAULT_LABEL, type Definition } from '@errand/contracts';
import { containsTemplate } from '@errand/protocol';
import type { QueueName, RecordedCall, StoredDefinition } from '@errand/queue';

/** A call with the definition of its tool. */
export interface DefinedCall {
  call: RecordedCall;
  definition: Definition;
  /** For an agent: the definitions of the tools that its turn may call. */
  inventory?: readonly StoredDefinition[];
}

/**
 * A single call of a script goes to the script-runners directly. Three kinds of such calls need a worker, because they may have to wait:
 * - Its arguments refer to another result.
 * - It runs once in its session. The worker may wait for an equal call.
 * - Its script needs a label. The worker waits for a runner that offers it.
 */
export function chooseQueue([first, ...more]: readonly DefinedCall[], session?: string): QueueName {
  if (!first || more.length > 0) return 'invocations';
  const { call, definition } = first;
  const { effects, runner = DEFAULT_LABEL } = definition.tool;
  const mayWait = containsTemplate(call.arguments) || (session !== undefined && effects === 'once');
  const isPlain = definition.script !== undefined && runner === DEFAULT_LABEL;
  return isPlain && !mayWait ? 'scripts' : 'invocations';
}
