export { answersOf, childId, QUEUE_NAMES, scriptQueue, type QueueName, type WorkQueue } from './redis/names.js';
export type { Accepted, DeliveryRecord, InvocationRecord, Outcome, RecordedCall, StepOutcome } from './state/record.js';
export { connectQueues, Queues, type Retention } from './redis/connect.js';
export type { SubmitOptions } from './enqueue/job-options.js';
export { submitInvocation, submitInvocations, type NewInvocation } from './enqueue/enqueue-invocations.js';
export { RetentionCleaner } from './retention/clean-up.js';
export { explainWait } from './state/queue-status.js';
export { QueueFullError } from './enqueue/enqueue-invocations.js';
export {
  freshInvocation,
  readInvocation,
  readWholeInvocation,
  type StoredInvocation,
} from './state/read-invocation.js';
export { cancelInvocation } from './consume/cancel.js';
export type { Cancelled } from './consume/cancel.js';
export { endChildren, removeFailedChildren } from './consume/cancel.js';
export { giveAnswer, readAnswers, type Answers, type GivenAnswer } from './suspend/external-results.js';
export { extendRetention, SuspendJob, resetRetention } from './suspend/suspend-job.js';
export { copyPreviousRun, readOptions, readPreviousRun, type PreviousRun } from './state/previous-run.js';
export { readOpen, type OpenInvocation } from './state/stored-job.js';
export { listArtifacts, readArtifact, storeArtifacts, type OutputFile } from './files/artifacts.js';
export { readAttachments, storeAttachments, type NewAttachment } from './files/attachments.js';
export { claimEffect, keepEffect, type Effect, type StepReference } from './consume/effect-claims.js';
export { addWaiter, resumeWaiters } from './suspend/waiters.js';
export { claimKeys, type Claimed, type KeyClaim, type IdempotencyClaim } from './enqueue/idempotency.js';
export { removeEnvironment, wantedEnvironments, wantEnvironments } from './files/wanted-environments.js';
export { Definitions } from './files/definitions.js';
export { NotificationHub, type Subscription } from './suspend/notifications.js';
export {
  EventWriter,
  readEvents,
  readLastEvent,
  type LoggedEvent,
  type NumberedEvent,
  type StateChange,
} from './state/event-log.js';
export { SupersededError } from './bullmq/held-lock.js';
export { JournalWriter, readJournal, readState, readSteps, type Fields } from './consume/journal.js';
export { partOfResult, type Part } from './state/read-result.js';
export { openResult, readerOfValue, type ResultReader } from './state/read-result.js';
export { resultAt, valueAtPointer } from './state/read-result.js';
export { searchResult, type Match } from './state/read-result.js';
export { AttemptFailed, decideRetry, type AttemptInfo } from './consume/retry-policy.js';
export { consume, type Consumer, type ConsumeOptions } from './consume/consume.js';
export type { Work } from './consume/run-job.js';
export {
  consumeDeliveries,
  type DeliveryOptions,
  type PendingDelivery,
  type Sent,
} from './callbacks/consume-deliveries.js';
export { readDeliveries, readDelivery } from './callbacks/deliveries.js';
export { readCallback, redeliver } from './callbacks/deliveries.js';
export { RedisAwayError, requireRedis } from './redis/require-redis.js';
export { RunnerPresence } from './consume/heartbeats.js';
export { runChild, RunnerAwaited, ScriptFailed, type ChildRun } from './consume/run-child-job.js';
export { countRunners } from './consume/heartbeats.js';
export { QueueModule } from './queue.module.js';
export type { EndedJob } from './consume/ended-job.js';
export { readQueueDepths, type QueueDepth } from './state/queue-status.js';
export { listInvocations, type InvocationPage, type InvocationQuery } from './state/list-invocations.js';
export { LONGEST_INDEXED } from './state/search-index.js';
