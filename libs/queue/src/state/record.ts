import type {
  AgentLimits,
  Attachment,
  Callback,
  DeliveryStatus,
  LocatedWarning,
  MessageForm,
  Failure,
  Invocation,
  JsonObject,
  Json,
  ResolvedCall,
  RetryPolicy,
  Status,
  Step,
  ToolKind,
  Waiting,
} from '@errand/contracts';

/** The data of a job: the accepted submission. The digest of each call names its Definition. */
export interface InvocationRecord {
  tenant: string;
  calls: RecordedCall[];
  mode: 'sequence' | 'parallel';
  /** In mode `parallel`: the highest number of steps that run at the same time. */
  concurrency?: number;
  agent?: string;
  session?: string;
  /** Jobs of a tenant with different keys share its slots equally. Without it, the agent is the key. */
  fairnessKey?: string;
  responseText?: string;
  /** The form of the submitted message of a model API. */
  messageForm?: MessageForm;
  warnings?: LocatedWarning[];
  metadata?: JsonObject;
  /** The files of the submission. Their bytes are stored by digest. */
  attachments?: Attachment[];
  /** The longest that the whole invocation may run, in ms, counted from its start. */
  timeoutMs?: number;
  maxResultChars?: number;
  /** The digest of the idempotency key. */
  idempotency?: string;
  /** The id of the batch that made it. */
  batch?: string;
  /** The retry policy of the caller. */
  retry?: RetryPolicy;
  /** W3C `traceparent` of the submission. */
  trace?: string;
  /** Set on a repair: the repaired invocation and the caller's changes. */
  retryOf?: Invocation['retryOf'];
  /** Set on a repair: inputs by step and node that replace the inputs from earlier nodes. */
  replacedInputs?: Record<number, Record<string, JsonObject>>;
  /** Set on a script that runs for a step of an invocation. */
  parent?: { invocationId: string; step: number };
  /** Set on the calls of a turn: the turn, its step and its round. Set on a turn that a node began: the invocation and step of the node. */
  parentTurn?: { invocationId: string; step: number; round?: number };
  /** Set on a turn that an event began: the event, the agent that published it, and the number of events in its chain. */
  trigger?: { event: string; payload?: Json; agent?: string; depth: number };
  /** The number of turns and events above it. Absent: 0. */
  depth?: number;
  /** On a turn that reports the end of a background call: the invocation that runs the call. */
  awaits?: string;
  /** On a retry of a turn: the first turn, whose messages are in the conversation, and the caller's limits. */
  firstTurn?: string;
  limits?: Partial<AgentLimits>;
}

/** An invocation that is stored. */
export interface Accepted {
  id: string;
  record: InvocationRecord;
  /** The time of acceptance in ms. */
  at: number;
}

export interface RecordedCall extends ResolvedCall {
  kind: ToolKind;
  /** The id that the model gave the call. */
  callId?: string;
  /** `continue` lets the following steps run after a failure of this one. */
  onError?: 'continue';
}

/** The state of one step: its outcome, or its progress so far. An absent time equals that of the job. */
export interface StepOutcome {
  status: Status;
  result?: Json;
  error?: Failure;
  startedAt?: string;
  finishedAt?: string;
  /** Set instead of `result` if the result is stored beside the job. */
  large?: LargeResult;
  /** Set while the step waits for something outside its process. */
  waiting?: Waiting;
  /** The number of starts. If absent, it equals that of the job. */
  attempts?: number;
  /** In an invocation with several steps: the attempt of the job in which this step first began. */
  begunIn?: number;
  deduplicatedFrom?: Step['deduplicatedFrom'];
}

/** The description of a result that is stored beside the job. */
export interface LargeResult {
  /** The beginning of its text. */
  beginning: string;
  /** The length of its text in UTF-16 code units. */
  total: number;
  /** The result is a string. Otherwise, the text is its JSON. */
  isText: boolean;
  /** The prefix of the fields of its pieces. Each attempt has its own, so that a superseded attempt overwrites nothing. */
  at: string;
}

/** The return value of a succeeded job: one outcome for each call, in order. */
export interface Outcome {
  steps: StepOutcome[];
}

/** The data of a delivery job. */
export interface DeliveryRecord {
  tenant: string;
  invocationId: string;
  callback: Callback;
  /** The message, set by the first failed attempt. Later attempts send the same, even if the invocation is not stored any more. */
  body?: string;
  /** Set on a push delivery, which sends each status of the invocation. */
  push?: Push;
  /** Of a push delivery: the number of the status whose message `body` is. */
  bodyOf?: number;
}

/** A push configuration: what a push delivery sends beside the statuses. `callback.url` of its delivery is the receiver. */
export interface Push {
  /** Unique for the invocation. */
  id: string;
  /** The version of A2A in which it was made, and whose form its messages have. */
  version: '1.0' | '0.3';
  token?: string;
  authentication?: { scheme: string; credentials: string };
}

/** The return value of a successful delivery job. */
export interface Delivered {
  status: Extract<DeliveryStatus, 'delivered' | 'skipped'>;
}
