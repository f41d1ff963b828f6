export { QueueModule } from './queue.module.js';

export {
  enqueueInvocation,
  submitInvocation,
  submitInvocations,
  type NewInvocation,
} from './enqueue/enqueue-invocations.js';
export { QueueFullError } from './enqueue/queue-full.js';
export { claimKeys, readClaim, type Claimed, type IdempotencyClaim, type KeyClaim } from './enqueue/idempotency.js';
export type { SubmitOptions } from './enqueue/job-options.js';

export { consume, type Consumer, type ConsumeOptions } from './consume/consume.js';
export type { Work } from './consume/run-job.js';
export { AttemptFailed, decideRetry, type AttemptInfo } from './consume/retry-policy.js';
export type { EndedJob } from './consume/ended-job.js';
export {
  cancelInvocation,
  endChildren,
  noteRemoteTask,
  recordChild,
  removeFailedChildren,
  type Cancelled,
} from './consume/cancel.js';
export { claimEffect, keepEffect, type Effect, type StepReference } from './consume/effect-claims.js';
export { countRunners, countWorkers, RunnerPresence } from './consume/heartbeats.js';
export { JournalWriter, readJournal, readJournalField, readState, readSteps, type Fields } from './consume/journal.js';
export { runChild, RunnerAwaited, ScriptFailed } from './consume/run-child-job.js';
export { SupersededError } from './bullmq/held-lock.js';

export { extendRetention, resetRetention, SuspendJob } from './suspend/suspend-job.js';
export { giveAnswer, readAnswers, type Answers } from './suspend/external-results.js';
export { NotificationHub, type EndsSubscription, type StopSignal, type Subscription } from './suspend/notifications.js';
export { addWaiter, resumeWaiters } from './suspend/waiters.js';

export {
  consumeDeliveries,
  type DeliveryOptions,
  type PendingDelivery,
  type Sent,
} from './callbacks/consume-deliveries.js';
export { readCallback, readDeliveries, redeliver } from './callbacks/deliveries.js';

export {
  discardPushes,
  MAX_PUSHES,
  preparePush,
  putPush,
  readPushes,
  removePush,
  type PushConfiguration,
} from './push/push-configurations.js';
export type { PushedStatus } from './push/push-delivery.js';
export {
  answeredWaits,
  beginRun,
  leaveOpen,
  newestTurns,
  readByDigest,
  readRun,
  takenIds,
  type AguiRunName,
  type RecordedRun,
  type RunWait,
} from './agui-runs/agui-runs.js';

export { ownSessionOf, type Conversation, type SessionName } from './sessions/conversation.js';
export { listMessages, type MessagePage, type NumberedMessage } from './sessions/list-messages.js';
export { LAID_OVER } from './sessions/lay-over-world.js';
export { openSession, type SessionOpening } from './sessions/open-session.js';
export { findPredecessor, joinOrder } from './sessions/order-of-turns.js';
export { eventDepthOf, publishEvent, type EventTurn, type SessionEvent } from './sessions/publish-event.js';
export { knownMessages, readConversation, type NewestMessages } from './sessions/read-conversation.js';
export { readPrivateState, readWorldState, type StateName } from './sessions/read-states.js';
export { STATE_BYTES } from './sessions/state-patch.js';
export {
  deleteSession,
  readSession,
  readSessionAgents,
  type StoredSession,
  type TurnCounts,
} from './sessions/read-session.js';
export { searchMessages, type FoundMessages } from './sessions/search-messages.js';
export { keepSession, settleSession } from './sessions/session-life.js';
export { updateState, type ChangingTurn } from './sessions/update-state.js';
export { TurnWriter, type SessionStates, type TurnAttempt, type TurnStep } from './sessions/turn-writer.js';

export { readBatch, storeBatch, type NewBatch, type StoredBatch } from './state/batches.js';
export { EventWriter, readEvents, readLastEvent, type NumberedEvent } from './state/event-log.js';
export { countInvocations, type InvocationCount } from './state/count-invocations.js';
export { listInvocations, type ListedInvocation } from './state/list-invocations.js';
export type { InvocationQuery } from './state/plan-walk.js';
export { copyPreviousRun, readOptions, readPreviousRun, type PreviousRun } from './state/previous-run.js';
export { FIRST_TENANTS, queueNames, readQueue, type ShownQueue, type TenantPage } from './fair/read-queues.js';
export { repairRings, type RepairedQueue } from './fair/repair-rings.js';
export { readWeight, setWeight, WEIGHT_BOUNDS } from './fair/tenant-weights.js';
export type { FairRules } from './fair/fair-rules.js';
export type { PriorityScope } from './fair/lane.js';
export { explainWait, readQueueDepths } from './state/queue-status.js';
export {
  endedInvocation,
  freshInvocation,
  readInvocation,
  readWholeInvocation,
  type StoredInvocation,
} from './state/read-invocation.js';
export {
  openResult,
  partOfResult,
  readerOfValue,
  resultAt,
  searchResult,
  valueAtPointer,
  type Part,
  type ResultReader,
} from './state/read-result.js';
export type {
  Accepted,
  DeliveryRecord,
  InvocationRecord,
  Outcome,
  Push,
  RecordedCall,
  StepOutcome,
} from './state/record.js';
export { LONGEST_INDEXED } from './state/search-index.js';
export { RemoteListCache } from './remote/remote-list-cache.js';
export { digestOfServer, RemoteLists } from './remote/remote-lists.js';
export { readOpen, type OpenInvocation } from './state/stored-job.js';
export { EVERY_TENANT, type TenantReach } from './state/tenant-reach.js';

export { readArtifact, storeArtifacts } from './files/artifacts.js';
export { readAttachments, storeAttachments } from './files/attachments.js';
export { Definitions, type StoredDefinition } from './files/definitions.js';
export { removeEnvironment, wantedEnvironments, wantEnvironments } from './files/wanted-environments.js';

export { RetentionCleaner } from './retention/clean-up.js';
export { connectQueues, Queues, type QueueBounds, type Retention, type SessionBounds } from './redis/connect.js';
export { answersOf, childId, QUEUE_NAMES, scriptQueue, type QueueName, type WorkQueue } from './redis/names.js';
export { LateReplicasError } from './redis/replica-wait.js';
export { refusalOf } from './redis/refusals.js';
export { requireRedis } from './redis/require-redis.js';
export { readSealingKey } from './redis/sealing-key.js';
