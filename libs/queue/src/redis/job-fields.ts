/** Errand's fields in the hash of a BullMQ job. BullMQ ignores them and removes them with the job. */
export const FIELD = {
  /** The time of a cancel request in ms. If it is set before the job ends, the job ends as cancelled, whatever its handler returns. */
  cancelRequestedAt: 'errand:cancel',
  /** The reason that came with the first cancel request. */
  cancelReason: 'errand:cancelReason',
  /** What a suspended job waits for: `time`, `answer`, or nothing any more (`woken`). The next start removes the field. */
  suspended: 'errand:parked',
  /** The number of starts after a suspension. They do not count as attempts. */
  suspensions: 'errand:parks',
  /** The time of the first start in ms. Set by the first suspension. */
  begunAt: 'errand:begunAt',
  /** The number of the last start that `consume/record-restart.lua` has recorded. */
  recordedStart: 'errand:recordedStart',
  /** The times of attempts that did not end the job: `<start>-<end> ` in ms for each. */
  earlierAttempts: 'errand:attempts',
  /** The ids of the last invocations that retry it, oldest first, with a blank between them. */
  retries: 'errand:retries',
  /** The last status in the event stream. Absent until a status follows the first `running`. */
  lastStatus: 'errand:told',
  /** The first events of a turn or of its calls, one a line: the name of its batch, a blank, JSON. They move to the event stream later. */
  heldEvents: 'errand:events',
  /** What a suspended job asks for, in short, as JSON. The next start removes the field. */
  asked: 'errand:asked',
  /** The members of a suspended job in the index of waits, see `suspend/wait-index.lua`. Its end removes the field. */
  waits: 'errand:waits',
  /** Set by an answer since the last start. */
  answered: 'errand:answered',
  /** The push deliveries of an invocation: configuration id → job id, as JSON. */
  pushes: 'errand:pushes',
  /** How many of the deaths since the last progress were deaths of a process that had other jobs as well. */
  sharedDeaths: 'errand:sharedDeaths',
  /** A request waits for the end of the invocation. The notification of the end then has the outcome. */
  awaited: 'errand:awaited',
  /** The lane in which the job waits, unless it is that of the tenant `default` without a key. See `fair/lanes.lua`. */
  lane: 'errand:lane',
  /** Of a push delivery: the statuses that are left to send, one a line with its time in ms. */
  statuses: 'errand:statuses',
  /** Of a push delivery: the number of sent statuses. */
  sent: 'errand:sent',
  /** Of a push delivery: its configuration was removed or replaced. */
  stopped: 'errand:stopped',
} as const;
