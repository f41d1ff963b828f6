import type {
  Attachment,
  Callback,
  DeliveryStatus,
  LocatedWarning,
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

/** What a job carries: the accepted submission. The digest of each call names its Definition. */
export interface InvocationRecord {
  tenant: string;
  calls: RecordedCall[];
  mode: 'sequence' | 'parallel';
  /** Of calls side by side: how many at a time. */
  concurrency?: number;
  agent?: string;
  session?: string;
  responseText?: string;
  warnings?: LocatedWarning[];
  metadata?: JsonObject;
  /** Files that came with it; their bytes lie beside, under their digest. */
  attachments?: Attachment[];
  /** The longest that the whole invocation may run, in ms, counted from its start. */
  timeoutMs?: number;
  maxResultChars?: number;
  /** Digest of the key under which it was asked for. */
  idempotency?: string;
  /** How the caller wants failures to be tried again. */
  retry?: RetryPolicy;
  /** W3C `traceparent` of the submission. */
  trace?: string;
  /** Set on a repair: which invocation it repairs, and what the caller changed. */
  retryOf?: Invocation['retryOf'];
  /** Of a repair: by step and node, inputs that take the place of what would arrive there. */
  replacedInputs?: Record<number, Record<string, JsonObject>>;
  /** Set on a script that runs for a step of another job. */
  parent?: { invocationId: string; step: number };
}

/** An invocation that is there now. */
export interface Accepted {
  id: string;
  record: InvocationRecord;
  /** When it was accepted, in ms. */
  at: number;
}

export interface RecordedCall extends ResolvedCall {
  kind: ToolKind;
  /** What follows where this one fails: nothing, unless it says `continue`. */
  onError?: 'continue';
}

/** How one step ended, or stands. Absent times are the job's own. */
export interface StepOutcome {
  status: Status;
  result?: Json;
  error?: Failure;
  startedAt?: string;
  finishedAt?: string;
  /** Set in place of `result` where that lies beside the job. */
  large?: LargeResult;
  /** Set while somebody outside is waited for. */
  waiting?: Waiting;
  /** How often it was begun; absent: as often as the job. */
  attempts?: number;
  /** Of one of several steps: in which attempt of the job it was first begun. */
  begunIn?: number;
  deduplicatedFrom?: Step['deduplicatedFrom'];
}

/** What a job keeps of a result that lies beside it. */
export interface LargeResult {
  /** The beginning of its text. */
  beginning: string;
  /** How many characters (UTF-16 code units) its text has. */
  total: number;
  /** It is a text itself; else the text is its JSON. */
  isText: boolean;
  /** The fields of its pieces begin with this: each attempt writes its own, so that one that was overtaken spoils nothing. */
  at: string;
}

/** The return value of a job that succeeded: one outcome a call, in order. */
export interface Outcome {
  steps: StepOutcome[];
}

/** What the job of a delivery carries. */
export interface DeliveryRecord {
  tenant: string;
  invocationId: string;
  callback: Callback;
  /** What is sent, once the first attempt has failed: the others send the same, even if the invocation is no longer kept. */
  body?: string;
}

/** The return value of a delivery that came to a good end. */
export interface Delivered {
  status: Extract<DeliveryStatus, 'delivered' | 'skipped'>;
}
