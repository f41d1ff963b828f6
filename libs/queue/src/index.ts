export { QueueModule } from './queue.module.js';

export { type NewInvocation } from './enqueue/enqueue-invocations.js';
export { QueueFullError } from './enqueue/queue-full.js';
export { type Claimed, type IdempotencyClaim, type KeyClaim } from './enqueue/idempotency.js';
export type { SubmitOptions } from './enqueue/job-options.js';

export {
  BULK_TOKEN_MS,
  BulkActions,
  MOST_OPEN_BULKS,
  type BulkPlan,
  type BulkPart,
  type BulkProgress,
  type TakenBulk,
} from './bulk/bulk-actions.js';
export { countMatches } from './bulk/count-matches.js';

export { type Consumer, type ConsumeOptions } from './consume/consume.js';
export type { Work } from './consume/run-job.js';
export { AttemptFailed, decideRetry, type AttemptInfo } from './consume/retry-policy.js';
export type { EndedJob } from './consume/ended-job.js';
export { type Cancelled } from './consume/cancel.js';
export { type Effect, type StepReference } from './consume/effect-claims.js';
export type { EffectQuery, StoredEffect } from './consume/effect-ledger.js';
export { RunnerPresence } from './consume/heartbeats.js';
export { JournalWriter, type Fields } from './consume/journal.js';
export { RunnerAwaited, ScriptFailed } from './consume/run-child-job.js';
export { SupersededError } from './bullmq/held-lock.js';

export { SuspendJob } from './suspend/suspend-job.js';
export { inBatches, type JournalField } from './consume/journal-batches.js';
export { type Answers } from './suspend/external-results.js';
export { type ListedWait, type WaitPageRequest, type WaitQuery } from './suspend/list-waits.js';
export { NotificationHub, type EndsSubscription, type StopSignal, type Subscription } from './suspend/notifications.js';

export type { DeliveryOptions } from './callbacks/consume-deliveries.js';
export type { PendingDelivery, Sent } from './callbacks/run-delivery.js';
export type { DeliveryQuery } from './callbacks/list-deliveries.js';

export { MAX_PUSHES, type PushConfiguration } from './push/push-configurations.js';
export type { PushedStatus } from './push/push-delivery.js';
export { type AguiRunName, type RecordedRun, type RunWait } from './agui-runs/agui-runs.js';

export { ownSessionOf, type Conversation, type SessionName } from './sessions/conversation.js';
export { type MessagePage, type NumberedMessage } from './sessions/list-messages.js';
export { LAID_OVER } from './sessions/lay-over-world.js';
export { type SessionOpening } from './sessions/open-session.js';
export { type EventTurn, type SessionEvent } from './sessions/publish-event.js';
export { type NewestMessages } from './sessions/read-conversation.js';
export { type StateName } from './sessions/read-states.js';
export { STATE_BYTES } from './sessions/state-patch.js';
export { type StoredSession, type TurnCounts } from './sessions/read-session.js';
export { type FoundMessages } from './sessions/search-messages.js';
export { type ChangingTurn } from './sessions/update-state.js';
export { TurnWriter, type SessionStates, type TurnAttempt, type TurnStep } from './sessions/turn-writer.js';

export { type NewBatch, type StoredBatch } from './state/batches.js';
export { EventWriter, type NumberedEvent } from './state/event-log.js';
export { estimateEnd } from './state/estimate-end.js';
export { type StatusCounts } from './state/count-by-status.js';
export { type InvocationCount } from './state/count-invocations.js';
export { type ListedInvocation } from './state/list-invocations.js';
export type { InvocationQuery } from './state/plan-walk.js';
export { type PreviousRun } from './state/previous-run.js';
export { nextJobs } from './fair/next-jobs.js';
export { FIRST_TENANTS, type TenantPage } from './fair/read-queues.js';
export { type RepairedQueue } from './fair/repair-rings.js';
export { readWeight, WEIGHT_BOUNDS } from './fair/tenant-weights.js';
export type { FairRules } from './fair/fair-rules.js';
export type { PriorityScope } from './fair/lane.js';
export { endedInvocation, freshInvocation, type StoredInvocation } from './state/read-invocation.js';
export { readToldEnd, type ToldEnd } from './state/told-end.js';
export {
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
export { explainRow } from './state/explain-row.js';
export { readImpact } from './state/read-impact.js';
export { LONGEST_INDEXED } from './state/search-index.js';
export { RemoteListCache } from './remote/remote-list-cache.js';
export { digestOfServer, RemoteLists } from './remote/remote-lists.js';
export { MOST_SOURCE_BYTES, type SourceText } from './state/source-text.js';
export { type OpenInvocation } from './state/stored-job.js';
export { EVERY_TENANT, type TenantReach } from './state/tenant-reach.js';

export {
  changesAfter,
  countChangesAfter,
  idsOfTenant,
  newestChange,
  newestChanges,
  readListed,
  type NumberedChange,
} from './feed/changes-after.js';
export { ANNOUNCE_MS, FEED_KEPT, FEED_KEPT_MS, FeedLog, LOG_START, type LoggedFeedEvent } from './feed/feed-log.js';
export { Definitions, type StoredDefinition } from './files/definitions.js';
export { removeEnvironment, wantedEnvironments, wantEnvironments } from './files/wanted-environments.js';

export { drainProcess, findProcess, listProcesses } from './processes/list-processes.js';
export { OwnProcess } from './processes/own-process.js';
export { ProcessBeat, type ProcessDescription } from './processes/process-beat.js';
export { RefusalCounts, type CountedRefusal } from './stats/refusal-counts.js';

export { countFailedLogin } from './login/count-failed-login.js';
export { LoginSessions, type BegunSession, type LoginSession } from './login/login-sessions.js';

export { findRefusals, newestRefusals } from './refusals/find-refusals.js';
export { readRefusal, listRefusals } from './refusals/list-refusals.js';
export {
  storeRefusals,
  writeRefusal,
  type NewRefusal,
  type RefusalBounds,
  type WrittenRefusal,
} from './refusals/store-refusals.js';
export { settleRefusals } from './refusals/find-recoveries.js';
export { sumRefusals } from './refusals/sum-refusals.js';
export {
  followSandboxChecks,
  readSandboxCheck,
  readSandboxReports,
  requestSandboxCheck,
  storeSandboxReport,
} from './sandbox-checks/sandbox-checks.js';

export { RetentionCleaner } from './retention/clean-up.js';
export { connectQueues, Queues, type QueueBounds, type Retention, type SessionBounds } from './redis/connect.js';
export { childId } from './redis/job-ids.js';
export { answersOf, loginEndOf } from './redis/notification-names.js';
export { QUEUE_NAMES, scriptQueue, type QueueName, type WorkQueue } from './redis/queue-names.js';
export { LateReplicasError } from './redis/replica-wait.js';
export { refusalOf } from './redis/refusals.js';
export { requireRedis } from './redis/require-redis.js';
export { readSealingKey } from './redis/sealing-key.js';

export {
  cancelInvocation,
  cancelWaiting,
  copyPreviousRun,
  endChildren,
  eventDepthOf,
  explainWait,
  extendRetention,
  giveAnswer,
  noteRemoteTask,
  noteRetry,
  openResult,
  preparePush,
  putPush,
  readAnswers,
  readArtifact,
  readCallback,
  readDeliveries,
  readEvents,
  readInvocation,
  readJournal,
  readJournalField,
  readLastEvent,
  readLogLines,
  readLogPage,
  readOpen,
  readOptions,
  readPreviousRun,
  readPushes,
  readSource,
  readState,
  readSteps,
  readWholeInvocation,
  recordChild,
  redeliver,
  removeFailedChildren,
  removePush,
  resetRetention,
  resumeWaiters,
  runChild,
  storeArtifacts,
} from './shards/by-id.js';
export {
  answeredWaits,
  beginRun,
  claimEffect,
  deleteSession,
  findPredecessor,
  joinOrder,
  keepSession,
  knownMessages,
  leaveOpen,
  listMessages,
  newestTurns,
  openSession,
  publishEvent,
  readByDigest,
  readConversation,
  readPrivateState,
  readRun,
  readSession,
  readSessionAgents,
  readWorldState,
  searchMessages,
  settleSession,
  takenIds,
  updateState,
} from './shards/by-session.js';
export {
  claimKeys,
  discardPushes,
  enqueueInvocation,
  readClaim,
  submitInvocation,
  submitInvocations,
} from './shards/claims-and-submissions.js';
export { countByStatus, countInvocations, listInvocations } from './shards/merge-lists.js';
export { listDeliveries, listEffects, type MergedKeyedPage } from './shards/merge-keyed-pages.js';
export { readBatch, storeBatch } from './shards/merge-batches.js';
export { listWaits } from './shards/merge-waits.js';
export { findInvocationIds } from './shards/find-ids.js';
export { readStats, type StatsQuery } from './shards/merge-stats.js';
export { readToolStats, readToolUses } from './shards/merge-tool-stats.js';
export { readQueue } from './shards/merge-tenants.js';
export { addWaiter } from './shards/wake-waiters.js';
export {
  countRunners,
  countWorkers,
  queueNames,
  readQueueDepths,
  repairRings,
  setWeight,
} from './shards/sum-queues.js';
export { consume, consumeDeliveries } from './shards/consume-shards.js';
export { extendAttachments, readAttachments, storeAttachments } from './shards/place-attachments.js';
export { pauseQueue, resumeQueue } from './shards/pause-everywhere.js';
export { placeBatch, placeBeside, placeInvocation } from './shards/place-invocation.js';
export { LayoutFollower } from './shards/follow-layout.js';
export { openShards } from './shards/open-shards.js';
export { WaiterSweep } from './shards/wake-waiters.js';
export { agreeOnLayout, recordShardCount } from './shards/stored-layout.js';
export type { ShardLayout } from './shards/shard-layout.js';
