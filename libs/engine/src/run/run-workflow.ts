import { type JsonObject, type StoredWorkflow, ToolError } from '@errand/contracts';
import { ActiveCount } from './active-count.js';
import { copyObject } from './copy-json.js';
import { fillInputs } from './fill-inputs.js';
import { WriteBehind } from '../journal/write-behind.js';
import { GraphRun } from './run-graph.js';
import type { RunOptions } from './run-options.js';
import type { WorkflowRun, RunScope } from './run-scope.js';
import { Semaphore } from '@errand/contracts';
import { requireValidGraph } from '../graph/validate-graph.js';
import { Waits } from './waits.js';
import { namedOutputs } from '../graph/workflow-of-node.js';
import { setMaxListeners } from 'node:events';

const CONCURRENCY = 16;

/** The smallest step of progress that is reported. It limits the events of long chains. */
const PROGRESS_STEP = 0.01;

/**
 * Runs a workflow and returns its outputs by name. An output without a value is null. Outcomes in the journal are not
 * computed again. A single node runs as a workflow of one node (`workflowOfNode`).
 * @throws ParameterValidationError for inputs that do not fit; the failure of a node (NodeError unless it threw its own
 *   ToolError, with `details: {nodeId, nodeType}`); the reason of `signal`, at once; Suspended; errors of the journal,
 *   unchanged
 */
export async function runWorkflow(
  workflow: StoredWorkflow,
  inputs: JsonObject,
  options: RunOptions,
): Promise<JsonObject> {
  requireValidGraph(workflow, options);
  const given = fillInputs(Object.entries(workflow.interfaceInputs ?? {}), copyObject(inputs));
  let outcomes: WriteBehind | undefined;
  const work = async (signal: AbortSignal, stop: (reason: unknown) => void) => {
    const answers = new Map();
    const waits = new Waits(answers);
    // Subscribes before it reads the journal, so that no answer is missed between the two.
    const endListening = options.onAnswer?.((key, answer) => waits.receiveAnswer(key, answer));
    try {
      const journaled = await options.journal?.read();
      for (const [key, answer] of journaled?.answers ?? []) answers.set(key, answer);
      const { states = new Map(), isResumed = false } = journaled ?? {};
      const run = openRun({ options, waits, journaled: states, isResumed, signal, stop });
      ({ outcomes } = run);
      return await storeAtEnd(outcomes, run.runGraph(workflow, given, rootScope(run, signal)));
    } finally {
      endListening?.();
    }
  };
  try {
    return namedOutputs(workflow, await runWithin(work, options.signal));
  } finally {
    await outcomes?.close();
  }
}

/** Returns what the run returns, or throws its error, after all outcomes are stored and all events emitted. */
async function storeAtEnd(outcomes: WriteBehind, running: Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await running;
  } finally {
    await outcomes.flush();
  }
}

interface Opening extends Pick<WorkflowRun, 'options' | 'waits' | 'journaled'> {
  isResumed: boolean;
  signal: AbortSignal;
  stop: (reason: unknown) => void;
}

function openRun({ options, waits, journaled, isResumed, signal, stop }: Opening): WorkflowRun {
  const { journal, storedAround, suspendAfterMs, nodeTypes } = options;
  const outcomes = new WriteBehind(journal, {
    onError: stop,
    emit: (event) => options.emit?.(event),
    writesFirst: isResumed,
    ...(storedAround && { storedAround }),
  });
  const workflows = new Map(options.workflows);
  const lookups = { nodeTypes, workflows };
  const suspendIfIdle = () => {
    // Without a journal, a run cannot be resumed.
    if (suspendAfterMs === undefined || !journal || signal.aborted || !activeCount.isIdle) return;
    const suspended = waits.suspension(suspendAfterMs);
    if (!suspended) return;
    const storing = outcomes.flush();
    if (storing) void storing.then(suspendIfIdle, () => {});
    else stop(suspended);
  };
  const activeCount = new ActiveCount(suspendIfIdle);
  return {
    options,
    permits: new Semaphore(options.concurrency ?? CONCURRENCY),
    activeCount,
    waits,
    journaled,
    emit: options.emit && ((event) => (signal.aborted ? undefined : outcomes.emit(event))),
    outcomes,
    workflows,
    runGraph: async (inside, inputs, scope) => new GraphRun(requireValidGraph(inside, lookups), inputs, scope).run(),
  };
}

function rootScope(run: WorkflowRun, signal: AbortSignal): RunScope {
  let reported = 0;
  return {
    run,
    signal,
    prefix: '',
    depth: run.options.depth ?? 0,
    limits: [],
    isRetried: run.options.isRetried ?? false,
    onProgress: (value, detail) => {
      if (!detail && value < reported + PROGRESS_STEP && (value < 1 || reported === 1)) return;
      reported = value;
      run.emit?.({ event: 'progress', value, ...detail });
    },
    onStream: (output, stream) => {
      stream.listen((chunk) => run.emit?.({ event: 'output', output, chunk }));
    },
  };
}

/**
 * The reason of the signal after work that ended by itself. Shared instance: creating an Error (stack trace) is
 * expensive.
 */
const ENDED = new ToolError('CancelledError', 'It has ended');

/**
 * Runs `work` until it ends, `outside` fires or the work calls `stop`. After a stop it rejects at once, and results of
 * unfinished work are discarded. The signal for the work also fires after a normal end, so that no work continues in
 * the background.
 * @throws the reason of `stop`, or the reason of `outside` (a plain abort is a CancelledError)
 */
export async function runWithin<T>(
  work: (signal: AbortSignal, stop: (reason: unknown) => void) => Promise<T>,
  outside?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  // Every graph of the workflow adds a listener.
  setMaxListeners(0, controller.signal);
  const stop = (reason: unknown) => controller.abort(reason);
  const stopFromOutside = () => outside && stop(reasonOf(outside));
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

/** An abort with an error keeps that error. A plain `abort()` means a cancel. */
function reasonOf(signal: AbortSignal): unknown {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name !== 'AbortError'
    ? reason
    : new ToolError('CancelledError', 'It was cancelled');
}
