import type { JsonObject, StoredWorkflow } from '@errand/contracts';
import { Activity } from './activity.js';
import { copyObject } from './copy-json.js';
import { fillInputs } from './fill-inputs.js';
import { GroupCommit } from './group-commit.js';
import { GraphRun } from './run-graph.js';
import type { RunOptions } from './run-options.js';
import type { Run, Scope } from './run-scope.js';
import { runWithin } from './run-within.js';
import { Semaphore } from './semaphore.js';
import { soundGraph } from './sound-graph.js';
import { Waits } from './waits.js';
import { namedOutputs } from './workflow-of-node.js';

const CONCURRENCY = 16;

/** Progress is told in steps of this at least; to the thousand layers of a chain nobody listens. */
const PROGRESS_STEP = 0.01;

/**
 * Runs a workflow and gives its outputs by name; one that got no value is null. What the journal already holds is taken from it.
 * Every way of running goes through here: a single node is a workflow of one (`workflowOfNode`).
 * @throws ParameterValidationError for inputs that do not fit; the failure of a node, NodeError unless it threw a ToolError of its
 *   own, with `details: {nodeId, nodeType}`; the reason of `signal`, at once; Parked; whatever the journal throws, as it is
 */
export async function runWorkflow(
  workflow: StoredWorkflow,
  inputs: JsonObject,
  options: RunOptions,
): Promise<JsonObject> {
  soundGraph(workflow, options);
  const given = fillInputs(workflow.interfaceInputs ?? {}, copyObject(inputs));
  const work = async (signal: AbortSignal, stop: (reason: unknown) => void) => {
    const answers = new Map();
    const waits = new Waits(answers);
    // Before the journal is read: an answer that comes meanwhile is in the one or told by the other.
    const endListening = options.onAnswer?.((key, answer) => waits.tell(key, answer));
    try {
      const journaled = await options.journal?.read();
      for (const [key, answer] of journaled?.answers ?? []) answers.set(key, answer);
      const run = openRun({ options, waits, journaled: journaled?.states ?? new Map(), signal, stop });
      return await run.runGraph(workflow, given, rootScope(run, signal));
    } finally {
      endListening?.();
    }
  };
  return namedOutputs(workflow, await runWithin(work, options.signal));
}

interface Opening extends Pick<Run, 'options' | 'waits' | 'journaled'> {
  signal: AbortSignal;
  stop: (reason: unknown) => void;
}

function openRun({ options, waits, journaled, signal, stop }: Opening): Run {
  const commit = options.journal && new GroupCommit(options.journal);
  const { parkAfterMs, nodeTypes } = options;
  const workflows = new Map(options.workflows);
  const lookups = { nodeTypes, workflows };
  // Without a journal there is nothing to go on from.
  const parkIfIdle = () => {
    const parked = parkAfterMs === undefined || !options.journal ? undefined : waits.parked(parkAfterMs);
    if (parked) stop(parked);
  };
  return {
    options,
    permits: new Semaphore(options.concurrency ?? CONCURRENCY),
    activity: new Activity(parkIfIdle),
    waits,
    journaled,
    emit: options.emit && ((event) => (signal.aborted ? undefined : options.emit!(event))),
    keep: async (states) => commit?.write(states).catch(stop),
    workflows,
    runGraph: async (inside, inputs, scope) => new GraphRun(soundGraph(inside, lookups), inputs, scope).run(),
  };
}

function rootScope(run: Run, signal: AbortSignal): Scope {
  let told = 0;
  return {
    run,
    signal,
    prefix: '',
    depth: run.options.depth ?? 0,
    limits: [],
    isRetried: run.options.isRetried ?? false,
    onProgress: (value, said) => {
      if (!said && value < told + PROGRESS_STEP && (value < 1 || told === 1)) return;
      told = value;
      run.emit?.({ event: 'progress', value, ...said });
    },
    onStream: (output, stream) => {
      stream.listen((chunk) => run.emit?.({ event: 'output', output, chunk }));
    },
  };
}
