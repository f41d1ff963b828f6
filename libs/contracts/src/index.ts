export {
  canonicalJson,
  isDeeperThan,
  isObject,
  MAX_DEPTH,
  own,
  setOwn,
  sizeOf,
  type Json,
  type JsonObject,
} from './json.js';
export { findInexact, isInexact } from './inexact.js';
export {
  BATCH_ID,
  derivedInvocationId,
  INVOCATION_ID,
  isBatchId,
  isInvocationId,
  isRefusalId,
  newBatchId,
  newInvocationId,
  newRefusalId,
  REFUSAL_ID,
  timeOfInvocationId,
  timePrefix,
} from './ids.js';
export { didYouMean, workflowMeant } from './did-you-mean.js';
export {
  ERROR_KINDS,
  PROBLEM_CODES,
  STATUS_TITLES,
  type CallPlaces,
  type ErrorKind,
  type LocatedProblem,
  type LocatedWarning,
  type Problem,
  type ProblemCode,
  type TextFix,
  type TextRange,
  type ValuePlace,
  type WorkflowProblem,
} from './problem.js';
export { ERROR_TYPES, isTriedOut, ToolError, toFailure, type ErrorType, type Failure } from './tool-error.js';
export {
  LANGUAGES,
  MENDABLE_TYPES,
  TOOL_KINDS,
  type Backoff,
  type RetryPolicy,
  type Implementation,
  type JsonSchema,
  type Language,
  type Limits,
  type McpExposure,
  type SecurityContext,
  type Effects,
  type Tool,
  type ToolLookup,
  type ToolExample,
  type ToolInterface,
  type ToolKind,
} from './tool.js';
export type { ShownTool, ToolDetails, ToolUse } from './tool-details.js';
export type { RemoteList, RemoteServer, RemoteTool } from './remote-server.js';
export {
  parseRedisAddress,
  showRedisAddress,
  showRedisNode,
  type RedisAddress,
  type RedisNode,
} from './redis-address.js';
export { DEFAULT_LABEL, parseLabels } from './runner-label.js';
export { partialOf, type PartialAnswer } from './partial.js';
export type { Refusal, RefusalGroup, RefusalSummary } from './refusal.js';
export type { DryRunOutcome, InvocationSource, SourceCall } from './source.js';
export { INBOX_KINDS, type InboxItem, type InboxKind } from './inbox-item.js';
export { FEED_TOPICS, type FeedData, type FeedEventName, type FeedTopic, type InvocationCounts } from './feed.js';
export type { InvocationRow } from './invocation-row.js';
export { FEATURES, SCOPES, type AccessScope, type Feature, type Whoami } from './whoami.js';
export type { Batch, BatchCounts } from './batch.js';
export { BULK_KINDS, BULK_STATES, type BulkAction, type BulkDryRun, type BulkKind, type BulkState } from './bulk.js';
export type { EffectEntry } from './effect-entry.js';
export type { Impact, RunPlace } from './impact.js';
export type { AttackOutcome, SandboxReport } from './sandbox-report.js';
export { MESSAGE_FORMS, type Call, type CallAnswer, type MessageForm, type ResolvedCall } from './call.js';
export {
  CALLBACK_EVENTS,
  type Callback,
  type CallbackEvent,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryStatus,
  type ListedDelivery,
} from './callback.js';
export type { LibraryProblem } from './problem-of-library.js';
export type { SearchResult, SearchResults } from './search.js';
export {
  STATS_DIMENSIONS,
  STATS_METRICS,
  type Stats,
  type StatsDimension,
  type StatsMetric,
  type StatsSeries,
  type ToolStats,
} from './stats.js';
export { isFinal, STATUSES, type Status } from './status.js';
export {
  type Artifact,
  type Attachment,
  type Invocation,
  type InvocationEvent,
  type NodeState,
  type QueuePlace,
  type Step,
  type Question,
  type Waiting,
} from './invocation.js';
export type { LogLine, LogPage } from './log.js';
export type { DrawnEdge, DrawnNode, Drawing, RunNode, StepGraph, ToolGraph } from './tool-graph.js';
export type { StatusChange, Timeline } from './timeline.js';
export { groupReference, isGroup } from './group-reference.js';
export type { StoredEdge, StoredNode, StoredSlot, StoredWorkflow } from './workflow.js';
export { digestOf, type Definition, type ScriptBundle } from './definition.js';
export { DELIBERATION_INPUTS, deliberationInput, foldSlotName, type DeliberationInput } from './deliberation.js';
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
  SessionAccess,
  ServiceType,
  ToolFinder,
  WorkflowCheck,
  WorkflowLookups,
} from './node-type.js';
export { KnownError } from './known-error.js';
export { nowText } from './time-text.js';
export { Semaphore } from './semaphore.js';
export { signalWithin } from './signal-within.js';
export {
  AGENT_PROTOCOLS,
  DEFAULT_AGENT_LIMITS,
  MESSAGE_ROLES,
  sumUsage,
  type AgentDefinition,
  type AgentLimits,
  type AgentProtocol,
  type ClientTool,
  type InventoryTool,
  type MessageRole,
  type MessageToolCall,
  type Round,
  type RoundCall,
  type RoundStatus,
  type SessionMessage,
  type TurnEvent,
} from './agent.js';
export {
  PROCESS_KINDS,
  type JobInHand,
  type JobLeft,
  type ProcessKind,
  type ProcessList,
  type ProcessLoad,
  type ProcessState,
  type QueueList,
  type QueuePause,
  type ShownProcess,
  type ShownQueue,
  type TenantWork,
} from './shared-work.js';
