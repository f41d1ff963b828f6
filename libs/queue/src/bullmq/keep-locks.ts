import { ErrorCode, type BackendFactory, type IRedisClient, type RedisQueueBackend } from 'bullmq';
import { moveStalledJobsToWait } from 'bullmq/dist/cjs/scripts/index.js';
import type { Redis } from 'ioredis';
import { TELL_STATUS } from '../state/event-log.js';
import { SupersededError } from '../consume/journal.js';
import { DELIVERIES, keys, type WorkQueue } from '../redis/names.js';
import { asFunction, LuaScript } from '../redis/lua-script.js';

/** After its start, Redis has heard from all live consumers after this time: they try to reach it once a second. */
const RETURN_MS = 2_000;
/** Locks are renewed so often in the time of one lock. */
const RENEWALS_PER_LOCK = 4;

/**
 * `beat(pulse, gapMs)`: the sign of life of the consumers of a queue. Returns for how many ms Redis has been answering to them without a
 * gap of `gapMs`. The pulse holds when that began. It expires by the clock of Redis, as locks do, and before them: after a pause of
 * Redis, or of all consumers, the first beat begins anew, whichever process sends it.
 *
 * `retake(job, active, stalled, id, token, attempt, lockMs)`: renews the lock of a job, and takes one anew that has lapsed, unless
 * somebody else was given the job since: then it is not active, or its count of starts is another. Returns whether the lock stands.
 */
const FUNCTIONS = `
local function beat(pulse, gapMs)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local since = tonumber(redis.call('GET', pulse) or now)
  -- The clock was set back.
  if since > now then since = now end
  redis.call('SET', pulse, since, 'PX', gapMs)
  return now - since
end
local function retake(job, active, stalled, id, token, attempt, lockMs)
  local lock = job .. ':lock'
  local holder = redis.call('GET', lock)
  if holder and holder ~= token then return false end
  if not holder and (redis.call('HGET', job, 'ats') ~= attempt or not redis.call('LPOS', active, id)) then return false end
  redis.call('SET', lock, token, 'PX', lockMs)
  redis.call('SREM', stalled, id)
  return true
end
`;

/**
 * Tells that this consumer lives, and renews the locks of the jobs that it runs.
 *
 * KEYS: 1 active, 2 stalled, 3 pulse.  ARGV: 1 what keys of jobs begin with, 2 lock (ms), 3 gap (ms); then of each job: id, token, start.
 * Returns the positions of the jobs that others have, from 0.
 */
const RENEW = new LuaScript<number[]>(`
${FUNCTIONS}
beat(KEYS[3], ARGV[3])
local lost = {}
for n = 4, #ARGV, 3 do
  local id = ARGV[n]
  if not retake(ARGV[1] .. id, KEYS[1], KEYS[2], id, ARGV[n + 1], ARGV[n + 2], ARGV[2]) then lost[#lost + 1] = (n - 4) / 3 end
end
return lost`);

/** How many KEYS and ARGV BullMQ's script takes; ours come behind them. */
const BULL_KEYS = moveStalledJobsToWait.keys;
const BULL_ARGS = 4;

/**
 * BullMQ's script that puts jobs of dead consumers back, allowed only when all live consumers have had the time of a lock to renew theirs:
 * Redis has been up and answering for so long. Before that, it only marks the active jobs, as its first run does.
 *
 * KEYS: BullMQ's, of which 1 is the set of marked jobs and 4 says that there was a check just now; then the pulse.
 * ARGV: BullMQ's, then: 1 lock (ms), 2 gap (ms), 3 what keys of events begin with ('': none are told), 4 now (ISO 8601).
 * Returns what BullMQ's script does: the ids of jobs that were put back. Invocations among them tell that they are queued.
 */
const CHECK_STALLED = new LuaScript<string[]>(`
${FUNCTIONS}
${TELL_STATUS}
${asFunction(moveStalledJobsToWait)}
local lockMs = tonumber(ARGV[${BULL_ARGS} + 1])
local answeringMs = beat(KEYS[${BULL_KEYS} + 1], ARGV[${BULL_ARGS} + 2])
if redis.call('EXISTS', KEYS[4]) == 1 then return {} end
local upMs = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)') * 1000
if answeringMs < lockMs or upMs < lockMs + ${RETURN_MS} then redis.call('DEL', KEYS[1]) end
local stalled = moveStalledJobsToWait(KEYS, ARGV)
local events = ARGV[${BULL_ARGS} + 3]
for _, id in ipairs(events == '' and {} or stalled) do
  -- The id of a script that runs for a step has a dot.
  if not string.find(id, '.', 1, true) then tellStatus(ARGV[2] .. id, events .. id, id, 'queued', ARGV[${BULL_ARGS} + 4]) end
end
return stalled`);

/** Thrown where the lock of a job has lapsed: nobody else need have the job. */
export class LockLapsedError extends SupersededError {}

/**
 * What a script of ours says of the lock that it needs: 1: it stands.
 * @throws SupersededError at 0: others have the job; LockLapsedError at -1
 */
export function requireHeld(id: string, reply: -1 | 0 | 1): void {
  if (reply === 1) return;
  throw reply === 0 ? new SupersededError(id) : new LockLapsedError(id);
}

/** A job that this process runs. */
interface Held {
  id: string;
  token: string;
  /** The number of its starts, this one included: another one means that others were given the job. */
  attempt: number;
}

/**
 * The locks of the jobs that one consumer runs. They are renewed as long as the process lives, and outlast pauses and restarts of Redis and
 * pauses of the process: a lock that lapsed is taken anew where nobody else was given the job. The renewals are the sign of life that
 * stalled checks depend on.
 */
export class LockKeeper {
  private readonly held = new Set<Held>();
  private readonly gapMs: number;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param onLost is told of each job that another process has */
  constructor(
    private readonly redis: Redis,
    private readonly queue: WorkQueue | typeof DELIVERIES,
    private readonly lockMs: number,
    private readonly on: { lost: (job: Held) => void; error: (error: Error) => void },
  ) {
    // A pause that goes unnoticed leaves each lock a quarter of its time at least.
    this.gapMs = Math.ceil(lockMs / 2);
    this.schedule();
  }

  /** Keeps the lock of a job that was just taken; returns what ends that. */
  hold(id: string, token: string, attempt: number): () => void {
    const job = { id, token, attempt };
    this.held.add(job);
    return () => void this.held.delete(job);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /**
   * Runs what only the holder of a job's lock may do. Where that is refused because the lock has lapsed, and nobody else has the job, the
   * lock is taken anew and it is run again.
   */
  async asHolder<T>(id: string, token: string, act: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!isLapsed(error) || !(await this.retake(id, token))) throw error;
      }
    }
  }

  /** @param inner the backend whose commands need the locks that are kept here */
  backend(inner: BackendFactory<RedisQueueBackend>): BackendFactory<RedisQueueBackend> {
    return (...args) => {
      const backend = inner(...args);
      const { moveToCompleted, moveToFailed, moveToDelayed, retryJob, execCommand } = bound(backend);
      backend.moveToCompleted = (...given) => this.asHolder(given[0].id!, given[3], () => moveToCompleted(...given));
      backend.moveToFailed = (...given) => this.asHolder(given[0].id!, given[3], () => moveToFailed(...given));
      backend.moveToDelayed = (...given) => this.asHolder(given[0], given[3] ?? '', () => moveToDelayed(...given));
      backend.retryJob = (...given) => this.asHolder(given[0], given[2] ?? '', () => retryJob(...given));
      backend.execCommand = (client: IRedisClient, command: string, given: (string | number)[]) =>
        command === moveStalledJobsToWait.name ? this.checkStalled(client, given) : execCommand(client, command, given);
      return backend;
    };
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.beat(), this.lockMs / RENEWALS_PER_LOCK);
  }

  private async beat(): Promise<void> {
    await this.renew([...this.held]).catch(this.on.error);
    if (!this.isClosed) this.schedule();
  }

  /** Where one of the jobs has another holder, that is told, and it is kept no longer. */
  private async renew(jobs: readonly Held[]): Promise<Held[]> {
    const { redis, queue, lockMs, gapMs } = this;
    const lost = await RENEW.run(
      redis,
      [keys.set(queue, 'active'), keys.set(queue, 'stalled'), keys.pulse(queue)],
      [keys.job(queue, ''), lockMs, gapMs, ...jobs.flatMap(({ id, token, attempt }) => [id, token, attempt])],
    );
    // A job that has ended meanwhile is nobody's.
    const gone = lost.map((n) => jobs[n]!).filter((job) => this.held.delete(job));
    for (const job of gone) this.on.lost(job);
    return gone;
  }

  private async retake(id: string, token: string): Promise<boolean> {
    const job = [...this.held].find((held) => held.id === id && held.token === token);
    return job !== undefined && (await this.renew([job])).length === 0;
  }

  private checkStalled(client: IRedisClient, given: readonly (string | number)[]): Promise<string[]> {
    const events = this.queue === DELIVERIES ? '' : keys.events('');
    return CHECK_STALLED.run(
      client as unknown as Redis,
      [...given.slice(0, BULL_KEYS).map(String), keys.pulse(this.queue)],
      [...given.slice(BULL_KEYS), this.lockMs, this.gapMs, events, new Date().toISOString()],
    );
  }
}

/** BullMQ's error, or that of a script of ours. */
function isLapsed(error: unknown): boolean {
  if (error instanceof LockLapsedError) return true;
  return error instanceof Error && 'code' in error && error.code === ErrorCode.JobLockNotExist;
}

function bound(backend: RedisQueueBackend) {
  return {
    moveToCompleted: backend.moveToCompleted.bind(backend),
    moveToFailed: backend.moveToFailed.bind(backend),
    moveToDelayed: backend.moveToDelayed.bind(backend),
    retryJob: backend.retryJob.bind(backend),
    execCommand: backend.execCommand.bind(backend),
  };
}
