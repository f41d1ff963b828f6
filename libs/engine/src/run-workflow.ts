import type { JsonObject, StoredWorkflow } from '@errand/contracts';
import { copyObject } from './copy-json.js';
import { fillInputs } from './fill-inputs.js';
import { MemoryJournal } from './journal.js';
import { GraphRun } from './run-graph.js';
import type { RunOptions } from './run-options.js';
import type { Run } from './run-scope.js';
import { runWithin } from './run-within.js';
import { Semaphore } from './semaphore.js';
import { soundGraph } from './sound-graph.js';

const CONCURRENCY = 16;

/**
 * Runs a workflow and gives its outputs by name; one that got no value is null. What the journal already holds is taken from it.
 * Every way of running goes through here: a single node is a workflow of one (`workflowOfNode`).
 * @throws ParameterValidationError for inputs that do not fit; the failure of a node, NodeError unless it threw a ToolError of its
 *   own, with `details: {nodeId, nodeType}`; the reason of `signal`, at once; whatever the journal throws, as it is
 */
export async function runWorkflow(
  workflow: StoredWorkflow,
  inputs: JsonObject,
  options: RunOptions,
): Promise<JsonObject> {
  const nodes = soundGraph(workflow, options);
  const journal = options.journal ?? new MemoryJournal();
  const given = fillInputs(workflow.interfaceInputs ?? {}, copyObject(inputs));
  const outputs = await runWithin(
    async (signal, stop) => {
      const run: Run = {
        options,
        permits: new Semaphore(options.concurrency ?? CONCURRENCY),
        finished: (await journal.read()).states,
        emit: (event) => (signal.aborted ? undefined : options.emit?.(event)),
        keep: (states) => journal.write(states).catch(stop),
      };
      return new GraphRun(nodes, given, { run, signal, prefix: '' }).run();
    },
    { ...(options.signal && { signal: options.signal }) },
  );
  const names = Object.keys(workflow.interfaceOutputs ?? {});
  return Object.fromEntries(names.map((name) => [name, outputs[name] ?? null]));
}
