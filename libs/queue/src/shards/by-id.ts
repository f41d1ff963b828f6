import {
  cancelInvocation as cancel,
  endChildren as end,
  noteRemoteTask as note,
  recordChild as record,
  removeFailedChildren as remove,
} from '../consume/cancel.js';
import { cancelWaiting as cancelGroups } from '../consume/cancel-waiting.js';
import * as journal from '../consume/journal.js';
import * as child from '../consume/run-child-job.js';
import * as deliveries from '../callbacks/deliveries.js';
import * as artifacts from '../files/artifacts.js';
import * as pushes from '../push/push-configurations.js';
import type { Queues } from '../redis/connect.js';
import { eventDepthOf as depthOf } from '../sessions/publish-event.js';
import * as events from '../state/event-log.js';
import { noteRetry as retried } from '../state/note-retry.js';
import * as previous from '../state/previous-run.js';
import { explainWait as explain } from '../state/queue-status.js';
import * as invocations from '../state/read-invocation.js';
import * as log from '../state/read-log.js';
import { openResult as open } from '../state/read-result.js';
import { readSource as source } from '../state/source-text.js';
import { readOpen as readOpenJob } from '../state/stored-job.js';
import type { TenantReach } from '../state/tenant-reach.js';
import * as answers from '../suspend/external-results.js';
import * as suspend from '../suspend/suspend-job.js';
import { resumeWaiters as resume } from '../suspend/waiters.js';

/** The function, run in the shard of the id that is its second argument. */
function byId<Rest extends unknown[], Result>(run: (queues: Queues, id: string, ...rest: Rest) => Result) {
  return (queues: Queues, id: string, ...rest: Rest): Result => run(queues.shardOf(id), id, ...rest);
}

/** The same for an id behind the reach of the reader. */
function byReachAndId<Rest extends unknown[], Result>(
  run: (queues: Queues, reach: TenantReach, id: string, ...rest: Rest) => Result,
) {
  return (queues: Queues, reach: TenantReach, id: string, ...rest: Rest): Result =>
    run(queues.shardOf(id), reach, id, ...rest);
}

export const recordChild = byId(record);
export const noteRemoteTask = byId(note);
export const removeFailedChildren = byId(remove);
export const readJournal = byId(journal.readJournal);
export const readJournalField = byId(journal.readJournalField);
export const readState = byId(journal.readState);
export const readSteps = byId(journal.readSteps);
export const extendRetention = byId(suspend.extendRetention);
export const resetRetention = byId(suspend.resetRetention);
export const readAnswers = byId(answers.readAnswers);
export const resumeWaiters = byId(resume);
export const readCallback = byId(deliveries.readCallback);
export const readDeliveries = byId(deliveries.readDeliveries);
export const redeliver = byId(deliveries.redeliver);
export const readPushes = byId(pushes.readPushes);
export const removePush = byId(pushes.removePush);
export const readEvents = byId(events.readEvents);
export const readLastEvent = byId(events.readLastEvent);
export const readLogLines = byId(log.readLogLines);
export const readLogPage = byId(log.readLogPage);
export const copyPreviousRun = byId(previous.copyPreviousRun);
export const readPreviousRun = byId(previous.readPreviousRun);
export const noteRetry = byId(retried);
export const readOpen = byId(readOpenJob);
export const readSource = byId(source);
export const readArtifact = byId(artifacts.readArtifact);

export const cancelInvocation = byReachAndId(cancel);
export const readInvocation = byReachAndId(invocations.readInvocation);
export const readWholeInvocation = byReachAndId(invocations.readWholeInvocation);
export const openResult = byReachAndId(open);

/** Each shard cancels its own. */
export const cancelWaiting: typeof cancelGroups = async (queues, tenant, ids, reason) => {
  const groups = new Map<Queues, string[]>();
  for (const id of ids) groups.set(queues.shardOf(id), [...(groups.get(queues.shardOf(id)) ?? []), id]);
  const cancelled = await Promise.all([...groups].map(([shard, some]) => cancelGroups(shard, tenant, some, reason)));
  return new Set(cancelled.flatMap((some) => [...some]));
};

/** Of a tenant: no operator retries for all of them. */
export const readOptions: typeof previous.readOptions = (queues, tenant, id) =>
  previous.readOptions(queues.shardOf(id), tenant, id);
export const endChildren: typeof end = (queues, hub, id) => end(queues.shardOf(id), hub, id);
export const giveAnswer: typeof answers.giveAnswer = (queues, wait, given) =>
  answers.giveAnswer(queues.shardOf(wait.id), wait, given);
export const explainWait: typeof explain = (queues, invocation) => explain(queues.shardOf(invocation.id), invocation);
export const storeArtifacts: typeof artifacts.storeArtifacts = (queues, run, files) =>
  artifacts.storeArtifacts(queues.shardOf(run.id), run, files);
export const preparePush: typeof pushes.preparePush = (queues, owner, push) =>
  pushes.preparePush(queues.shardOf(owner.invocationId), owner, push);
export const putPush: typeof pushes.putPush = (queues, owner, push) =>
  pushes.putPush(queues.shardOf(owner.invocationId), owner, push);
/** Its script runs beside the invocation. */
export const runChild: typeof child.runChild = (queues, hub, record_, signal, run) =>
  child.runChild(queues.shardOf(record_.parent.invocationId), hub, record_, signal, run);
export const eventDepthOf: typeof depthOf = (queues, record_) =>
  depthOf(record_.parentTurn ? queues.shardOf(record_.parentTurn.invocationId) : queues, record_);
