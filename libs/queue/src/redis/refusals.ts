/** Redis answers, but refuses a command because of its own state. The command was not executed. */
export interface Refusal {
  /** For people, without addresses. */
  reason: string;
  /** Another server may be the primary now: a new connection finds it. */
  isElsewhere: boolean;
  /** Another server certainly has the keys. */
  isMoved: boolean;
}

const HERE = { isElsewhere: false, isMoved: false };
const ELSEWHERE = { isElsewhere: true, isMoved: false };

const REFUSALS: Readonly<Record<string, Refusal>> = {
  MOVED: { reason: 'the keys of Errand are at another node of the Redis Cluster', isElsewhere: true, isMoved: true },
  ASK: { reason: 'the Redis Cluster moves the keys of Errand to another node', ...HERE },
  TRYAGAIN: { reason: 'the Redis Cluster moves the keys of Errand to another node', ...HERE },
  CLUSTERDOWN: { reason: 'the Redis Cluster is down: it has no majority, or a slot has no primary', ...ELSEWHERE },
  READONLY: { reason: 'Redis is a replica and takes no writes', ...ELSEWHERE },
  MASTERDOWN: { reason: 'Redis is a replica without its primary', ...ELSEWHERE },
  UNBLOCKED: { reason: 'Redis has become a replica', ...ELSEWHERE },
  NOREPLICAS: { reason: 'Redis takes no writes: too few replicas follow it (min-replicas-to-write)', ...HERE },
  MISCONF: { reason: 'Redis takes no writes: it cannot write to its disk', ...HERE },
  OOM: { reason: 'Redis takes no writes: its memory is full (maxmemory)', ...HERE },
  LOADING: { reason: 'Redis loads its data', ...HERE },
  BUSY: { reason: 'Redis runs a long script', ...HERE },
};

/** A script that was stopped by its first write has the code of Redis behind the place in the script (Redis 6.2). */
const CODE = /^(?:ERR Error running script \(call to f_\w+\): @\w+:\d+: -)?([A-Z]+) /;

/** Undefined for an error of the command itself, and for an error of the connection. */
export function refusalOf(error: unknown): Refusal | undefined {
  const code = error instanceof Error ? CODE.exec(error.message)?.[1] : undefined;
  return code !== undefined && Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
}
