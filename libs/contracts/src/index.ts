export { canonicalJson, isDeeperThan, isObject, MAX_DEPTH, own, sizeOf, type Json, type JsonObject } from './json.js';
export { findInexact, isInexact } from './inexact.js';
export {
  BATCH_ID,
  INVOCATION_ID,
  isBatchId,
  isInvocationId,
  newBatchId,
  newInvocationId,
  timeOfInvocationId,
  timePrefix,
} from './ids.js';
export { didYouMean, workflowMeant } from './did-you-mean.js';
export {
  ERROR_KINDS,
  PROBLEM_CODES,
  STATUS_TITLES,
  type ErrorKind,
  type LocatedProblem,
  type LocatedWarning,
  type Problem,
  type ProblemCode,
  type WorkflowProblem,
} from './problem.js';
export { ERROR_TYPES, isTriedOut, ToolError, toFailure, type ErrorType, type Failure } from './tool-error.js';
export {
  LANGUAGES,
  MENDABLE_TYPES,
  type Backoff,
  type RetryPolicy,
  type Implementation,
  type JsonSchema,
  type Language,
  type Limits,
  type SecurityContext,
  type Tool,
  type ToolLookup,
  type ToolExample,
  type ToolInterface,
  type ToolKind,
} from './tool.js';
export type { RemoteList, RemoteServer, RemoteTool } from './remote-server.js';
export { DEFAULT_LABEL, parseLabels } from './runner-label.js';
export type { Batch, BatchCounts } from './batch.js';
export { MESSAGE_FORMS, type Call, type CallAnswer, type MessageForm, type ResolvedCall } from './call.js';
export {
  CALLBACK_EVENTS,
  type Callback,
  type CallbackEvent,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryStatus,
} from './callback.js';
export {
  isFinal,
  STATUSES,
  type Artifact,
  type Attachment,
  type Invocation,
  type InvocationEvent,
  type NodeState,
  type QueuePlace,
  type Status,
  type Step,
  type Question,
  type Waiting,
} from './invocation.js';
export { groupReference, isGroup } from './group-reference.js';
export type { StoredEdge, StoredNode, StoredSlot, StoredWorkflow } from './workflow.js';
export { digestOf, type Definition, type ScriptBundle } from './definition.js';
export type {
  Answer,
  BypassRules,
  Computation,
  InvocationReader,
  NodeContext,
  NodeRun,
  NodeType,
  SuspendRequest,
  ServiceContext,
  ServiceType,
  WorkflowCheck,
  WorkflowLookups,
} from './node-type.js';
export { KnownError } from './known-error.js';
export { Semaphore } from './semaphore.js';
