import { type JsonObject, type StoredWorkflow, ToolError } from '@errand/contracts';
import { ActiveCount } from './active-count.js';
import { copyObject } from './copy-json.js';
import { fillInputs } from './fill-inputs.js';
import { GroupCommit } from '../journal/node-journal.js';
import { GraphRun } from './run-graph.js';
import type { RunOptions } from './run-options.js';
import type { WorkflowRun, RunScope } from './run-scope.js';
import { Semaphore } from '@errand/contracts';
import { requireValidGraph } from '../graph/validate-graph.js';
import { Waits } from './waits.js';
import { namedOutputs } from '../graph/workflow-of-node.js';
import { setMaxListeners } from 'node:events';

const CONCURRENCY = 16;

/** Progress is told in steps of this at least; to the thousand layers of a chain nobody listens. */
const PROGRESS_STEP = 0.01;

/**
 * Runs a workflow and gives its outputs by name; one that got no value is null. What the journal already holds is taken from it.
 * Every way of running goes through here: a single node is a workflow of one (`workflowOfNode`).
 * @throws ParameterValidationError for inputs that do not fit; the failure of a node, NodeError unless it threw a ToolError of its
 *   own, with `details: {nodeId, nodeType}`; the reason of `signal`, at once; Suspended; whatever the journal throws, as it is
 */
export async function runWorkflow(
  workflow: StoredWorkflow,
  inputs: JsonObject,
  options: RunOptions,
): Promise<JsonObject> {
  requireValidGraph(workflow, options);
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

interface Opening extends Pick<WorkflowRun, 'options' | 'waits' | 'journaled'> {
  signal: AbortSignal;
  stop: (reason: unknown) => void;
}

function openRun({ options, waits, journaled, signal, stop }: Opening): WorkflowRun {
  const commit = options.journal && new GroupCommit(options.journal);
  const { suspendAfterMs, nodeTypes } = options;
  const workflows = new Map(options.workflows);
  const lookups = { nodeTypes, workflows };
  // Without a journal there is nothing to go on from.
  const suspendIfIdle = () => {
    const parked = suspendAfterMs === undefined || !options.journal ? undefined : waits.parked(suspendAfterMs);
    if (parked) stop(parked);
  };
  return {
    options,
    permits: new Semaphore(options.concurrency ?? CONCURRENCY),
    activeCount: new ActiveCount(suspendIfIdle),
    waits,
    journaled,
    emit: options.emit && ((event) => (signal.aborted ? undefined : options.emit!(event))),
    keep: async (states) => commit?.write(states).catch(stop),
    workflows,
    runGraph: async (inside, inputs, scope) => new GraphRun(requireValidGraph(inside, lookups), inputs, scope).run(),
  };
}

function rootScope(run: WorkflowRun, signal: AbortSignal): RunScope {
  let told = 0;
  return {
    run,
    signal,
    prefix: '',
    depth: run.options.depth ?? 0,
    limits: [],
    isRetried: run.options.isRetried ?? false,
    onProgress: (value, detail) => {
      if (!detail && value < told + PROGRESS_STEP && (value < 1 || told === 1)) return;
      told = value;
      run.emit?.({ event: 'progress', value, ...detail });
    },
    onStream: (output, stream) => {
      stream.listen((chunk) => run.emit?.({ event: 'output', output, chunk }));
    },
  };
}

/** Why the signal fires at the end of work that ended by itself: one for all, for an error is dear to make. */
const ENDED = new ToolError('CancelledError', 'It has ended');

/**
 * Runs `work` until it ends, `outside` fires or the work calls `stop`, whichever comes first, and then rejects at once: what is
 * still at work is abandoned and what it gives is discarded. The signal that the work gets fires after its end, too, so that
 * nothing which it left behind goes on.
 * @throws the reason of `stop`, or the reason of `outside` (a plain abort is a CancelledError)
 */
export async function runWithin<T>(
  work: (signal: AbortSignal, stop: (reason: unknown) => void) => Promise<T>,
  outside?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  // Every graph that runs within a workflow listens to it.
  setMaxListeners(0, controller.signal);
  const stop = (reason: unknown) => controller.abort(reason);
  const stopFromOutside = () => stop(reasonOf(outside!));
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  outside?.addEventListener('abort', stopFromOutside, { once: true });
  if (outside?.aborted) stopFromOutside();
  try {
    const worked = controller.signal.aborted ? stopped : Promise.resolve().then(() => work(controller.signal, stop));
    return await Promise.race([worked, stopped]);
  } finally {
    outside?.removeEventListener('abort', stopFromOutside);
    stop(ENDED);
  }
}

/** Who aborts with an error of his own means that error; a bare `abort()` is a cancel. */
function reasonOf(signal: AbortSignal): unknown {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name !== 'AbortError'
    ? reason
    : new ToolError('CancelledError', 'It was cancelled');
}
