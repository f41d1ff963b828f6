/**
 * The users of a container that serves several runs. `runtimes/python/run_user.py` explains the reasons.
 *
 * Bun runs this code in one thread, and the kernel stores the user of each thread. The system calls are direct, because the C
 * library would change the users of all threads.
 */
import { dlopen, FFIType } from 'bun:ffi';
import { fchmodSync, readdirSync, readFileSync } from 'node:fs';

const FIRST = 65_533;
const LAST = 65_034;
const REHEARSAL = LAST - 1;
const SET_USERS = { x64: 117, arm64: 147 }[process.arch as string];
const PR_CAPBSET_READ = 23;
const PR_CAPBSET_DROP = 24;
const SETUID_ALONE = 1 << 7;
const CAPABILITY_VERSION_3 = 0x20080522;
const WNOHANG = 1;
const UNCHANGED = -1;
const STDERR = 2;
const WRITE_ONLY_FOR_OTHERS = 0o622;

const { i32, i64, u64, ptr } = FFIType;

interface Calls {
  prctl(option: number, ...values: [number, number, number, number]): number;
  syscall(number: number, ...values: [number, number, number]): number | bigint;
  capset(header: Uint32Array, sets: Uint32Array): number;
  waitpid(pid: number, status: null, options: number): number;
}

/** Loads the calls only if runs are kept apart, because their compilation takes time. */
function loadCalls(): Calls {
  return dlopen('libc.so.6', {
    prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
    syscall: { args: [i64, i64, i64, i64], returns: i64 },
    capset: { args: [ptr, ptr], returns: i32 },
    waitpid: { args: [i32, ptr, i32], returns: i32 },
  }).symbols;
}

let calls: Calls | undefined;

/** The user of one run. Without a number: the supervisor and the run are the same user. */
export class RunUser {
  private constructor(private readonly uid?: number) {}

  /** Yields a user for each run. It ends after the last number, because no user may be used twice. */
  static *all(): Generator<RunUser> {
    if (process.getuid?.() !== 0) for (;;) yield new RunUser();
    for (let uid = FIRST; uid >= LAST; uid--) yield new RunUser(uid);
  }

  /** A user that no run has. */
  static rehearsal(): RunUser {
    return new RunUser(process.getuid?.() === 0 ? REHEARSAL : undefined);
  }

  get isApart(): boolean {
    return this.uid !== undefined;
  }

  /** Calls `work` with the run's rights. Only the effective user changes, so the run cannot signal this process. */
  act<T>(work: () => T): T {
    return this.as(UNCHANGED, UNCHANGED, work);
  }

  /** Starts a process that belongs to the run for good. A new program does not keep the saved user of its parent. */
  start<T>(spawn: () => T): T {
    return this.as(this.uid ?? UNCHANGED, 0, spawn);
  }

  private as<T>(real: number, saved: number, work: () => T): T {
    if (this.uid === undefined) return work();
    setUsers(real, this.uid, saved);
    try {
      return work();
    } finally {
      setUsers(0, 0, 0);
    }
  }
}

/** Drops all capabilities except CAP_SETUID. Lets scripts write to the path of the shared stderr, but not read it. */
export function keepRunsApart(): boolean {
  if (process.getuid?.() !== 0) return false;
  if (SET_USERS === undefined) throw new Error(`Runs cannot be kept apart on ${process.arch}`);
  calls = loadCalls();
  for (let capability = 0; calls.prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    if (calls.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) !== 0)
      throw new Error(`capability ${capability} could not be dropped`);
  }
  const kept = new Uint32Array([SETUID_ALONE, SETUID_ALONE, 0, 0, 0, 0]);
  if (calls.capset(new Uint32Array([CAPABILITY_VERSION_3, 0]), kept) !== 0)
    throw new Error('the capabilities could not be reduced to CAP_SETUID');
  try {
    fchmodSync(STDERR, WRITE_ONLY_FOR_OTHERS);
  } catch {
    // In gVisor, scripts can use the descriptor, but not its path.
  }
  return true;
}

/** Whether all threads have the user root. A thread that started with a run's user would keep it. */
export function hasOnlyOwnThreads(): boolean {
  const threads = readdirSync('/proc/self/task');
  return threads.every((id) => /^Uid:\t0\t0\t0\t0$/m.test(readFileSync(`/proc/self/task/${id}/status`, 'utf8')));
}

/** Reaps children that a script gave to its parent (CLONE_PARENT). No other process waits for them. */
export function reapSiblings(): void {
  if (calls) while (calls.waitpid(-1, null, WNOHANG) > 0);
}

function setUsers(real: number, effective: number, saved: number): void {
  if (Number(calls!.syscall(SET_USERS!, real, effective, saved)) !== 0)
    throw new Error('the user of a run could not be taken on or off');
}
