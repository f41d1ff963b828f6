export { answersOf, childId, QUEUE_NAMES, scriptQueue, type QueueName, type WorkQueue } from './names.js';
export type { Accepted, DeliveryRecord, InvocationRecord, Outcome, RecordedCall, StepOutcome } from './record.js';
export { connectQueues, Queues, type Retention } from './connect.js';
export type { SubmitOptions } from './job-options.js';
export { submitInvocation, submitInvocations, type NewInvocation } from './submit-invocation.js';
export { Forgetter } from './forget.js';
export { explainWait } from './explain-wait.js';
export { QueueFullError } from './queue-full.js';
export { freshInvocation, readInvocation, readWholeInvocation, type StoredInvocation } from './read-invocation.js';
export { cancelInvocation } from './cancel-invocation.js';
export type { Cancelled } from './cancel-job.js';
export { endChildren, forgetFailedChildren } from './children.js';
export { giveAnswer, readAnswers, type Answers, type GivenAnswer } from './answers.js';
export { keepBeside, ParkJob, releaseBeside } from './park-job.js';
export { plantRemains, readOptions, readRemains, type Remains } from './remains.js';
export { readOpen, type OpenInvocation } from './stored-job.js';
export { listArtifacts, readArtifact, storeArtifacts, type HandedOut } from './artifacts.js';
export { readAttachments, storeAttachments, type NewAttachment } from './attachments.js';
export { claimEffect, keepEffect, type Effect, type EffectHolder } from './effect-claims.js';
export { noteWaiter, wakeWaiters } from './wake-waiters.js';
export { claimKeys, type Claimed, type KeyClaim, type KeyHold } from './idempotency.js';
export { forgetEnvironment, wantedEnvironments, wantEnvironments } from './wanted-environments.js';
export { Definitions } from './definitions.js';
export { Wakeups, type Bell } from './wakeups.js';
export {
  EventWriter,
  readEvents,
  readLastEvent,
  type LoggedEvent,
  type NumberedEvent,
  type StateChange,
} from './event-log.js';
export { JournalWriter, readJournal, readState, readSteps, SupersededError, type Fields } from './journal.js';
export { partOfResult, type Part } from './part-of-result.js';
export { openResult, readerOfValue, type ResultReader } from './read-result.js';
export { resultAt, valueAtPointer } from './result-at.js';
export { searchResult, type Match } from './search-result.js';
export { FailedTry, failedTry, type Tried } from './failed-try.js';
export { consume, type Consumer, type ConsumeOptions } from './consume.js';
export type { Work } from './run-job.js';
export { consumeDeliveries, type DeliveryOptions, type OwedDelivery, type Sent } from './consume-deliveries.js';
export { readDeliveries, readDelivery } from './read-deliveries.js';
export { readCallback, redeliver } from './redeliver.js';
export { RedisAwayError, requireRedis } from './require-redis.js';
export { RunnerPresence } from './runner-presence.js';
export { runChild, RunnerAwaited, ScriptFailed, type ChildRun } from './run-child.js';
export { Seats } from './seats.js';
export { countRunners } from './count-runners.js';
export { QueueModule } from './queue.module.js';
export type { EndedJob } from './ended-job.js';
export { readQueueDepths, type QueueDepth } from './queue-depths.js';
export { listInvocations, type InvocationPage, type Sought } from './list-invocations.js';
export { LONGEST_INDEXED } from './index-sets.js';
