import type { Status } from './status.js';
import type { Round, TurnEvent } from './agent.js';
import type { Json, JsonObject } from './json.js';
import type { LocatedWarning } from './problem.js';
import type { JsonSchema } from './tool.js';
import type { Failure } from './tool-error.js';

export interface Step {
  index: number;
  toolId: string;
  version: string;
  arguments: JsonObject;
  /** The id that the model gave the call. Set if a message of a model API was submitted. */
  callId?: string;
  status: Status;
  result?: Json;
  /** Set for a large result: `result` has the beginning of its text, and `total` is the number of characters of the whole text. */
  resultTruncated?: { total: number };
  error?: Failure;
  startedAt: string | null;
  finishedAt: string | null;
  attempts: number;
  /** Set while the step waits for something outside its process. */
  waiting?: Waiting;
  /** For a tool with `effects: "once"`: the step that ran the same call in this session. The tool did not run again. */
  deduplicatedFrom?: { invocationId: string; step: number };
  /** The nodes of a workflow. */
  nodes?: NodeState[];
  /** The rounds of a turn of an agent, and the sum of their usage by key. */
  rounds?: Round[];
  usage?: Record<string, number>;
}

export interface NodeState {
  nodeId: string;
  type: string;
  status: Status | 'skipped';
  /** The number of starts, including the retries that the workflow requests. */
  attempts?: number;
  inputs?: JsonObject;
  result?: Json;
  error?: Failure;
  startedAt: string | null;
  finishedAt: string | null;
  /** Set while the node is suspended. */
  waiting?: Waiting;
}

/** The reason why a step or node is suspended. `until` is the deadline (ISO 8601), or null for the whole time of retention. */
export interface Waiting {
  for: 'time' | 'answer' | 'invocation' | 'runner';
  /** For `runner`: the label that the script-runner must offer. */
  label?: string;
  /** For `invocation`: the invocation with the awaited end or step. For `answer` in a turn: the child that waits. */
  invocationId?: string;
  /** For `answer` in a turn: the step of the child. */
  step?: number;
  /** For a node that waits for an answer: the key under which callers post it. Each wait of a node has its own key. */
  key?: string;
  until: string | null;
  prompt?: Json;
  /** For `answer`: the schema of the result. An answer that does not fit is refused, and the wait goes on. */
  schema?: JsonSchema | boolean;
}

/** What a `waiting_external` invocation asks for, as lists show it. A long prompt is cut, and a long schema is left out. */
export interface Question extends Waiting {
  /** The step that waits. */
  step: number;
  /** The node of the step that waits. */
  nodeId?: string;
  /** Set for a long prompt: `prompt` has the beginning of its text, and `total` is the number of characters of the whole text. */
  promptTruncated?: { total: number };
}

/** A file that a script returned: `GET /v1/invocations/:id/artifacts/:name?step=`. */
export interface Artifact {
  /** Relative, with `/`. */
  name: string;
  /** In bytes. */
  size: number;
  contentType: string;
  /** In hex. */
  sha256: string;
  step: number;
}

/** A file of a submission. Scripts find it in `$ERRAND_IN`. Redis stores its bytes under their digest. */
export interface Attachment {
  name: string;
  contentType?: string;
  /** In bytes. */
  size: number;
  /** In hex. */
  sha256: string;
}

/** An accepted submission, as callers see it. Times are ISO 8601 UTC. */
export interface Invocation {
  id: string;
  status: Status;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** The attempts before the last one, which failed or lost their process. Absent if there are none. */
  earlierAttempts?: { startedAt: string; finishedAt: string }[];
  agent: string | null;
  session: string | null;
  /** Set on the calls of a turn: the turn and its round. Set on a turn that a node began: the invocation of the node, without a round. */
  parent?: { invocationId: string; round?: number };
  responseText: string | null;
  /** Parts of the submitted text that Errand repaired or ignored. Absent if there are none. */
  warnings?: LocatedWarning[];
  metadata: JsonObject | null;
  /** The failed invocation that this one retries, and the replaced inputs by step or node. */
  retryOf?: { invocationId: string; steps?: Record<string, { inputs: JsonObject }> };
  /** The last 20 invocations that retry this one, oldest first. Absent if there are none. */
  retriedBy?: readonly string[];
  /** `calls` and `steps` are the same list under two names. */
  calls: Step[];
  steps: Step[];
  /** The result of a single step, or the list of the results of several steps. */
  result: Json;
  /** Set if results of steps are cut because of their size. `links.result` has the whole results. */
  resultTruncated?: true;
  error: Failure | null;
  /** Files that the scripts returned. Absent if there are none. */
  artifacts?: Artifact[];
  /** Files of the submission. Absent if there are none. */
  attachments?: Attachment[];
  observation: string | null;
  /** The answers to the calls in the form of the submitted message, ready to append to it. Set when the invocation has ended. */
  messages?: readonly object[];
  progress: number | null;
  /** Set for an invocation that is queued, or that waits for an answer or for a script-runner. Lists omit it. */
  queue?: QueuePlace;
  links: Record<string, string>;
  /** Its owner. Only responses to the operator have it. */
  tenant?: string;
}

/** The reason why an invocation does not run yet. Unknown values are null. */
export interface QueuePlace {
  /** 1 is the next to start. */
  position: number | null;
  ahead: number | null;
  /** For people. */
  waitingFor: string;
  /** The expected time until the end, in ms. It is based on the recent speed of the queue and of the tool. */
  etaMs: number | null;
}

/** An event of an invocation: the `data` of a server-sent event, without `invocationId` and `at`. */
export type InvocationEvent =
  | { event: 'status'; status: Status }
  /** `attempt` is that of a second start or later. `waiting` is set while the step or node is suspended. */
  | {
      event: 'step';
      index: number;
      status: NodeState['status'];
      nodeId?: string;
      attempt?: number;
      waiting?: Waiting['for'];
    }
  | { event: 'progress'; value: number; message?: string }
  | { event: 'log'; line: string; stream: 'stderr' | 'node'; step: number }
  /** `output` is the name of the workflow output to which the chunk belongs. */
  | { event: 'output'; step: number; output?: string; chunk: Json }
  | TurnEvent
  | { event: 'end'; invocation: Invocation };
