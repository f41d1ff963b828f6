import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const TASKS = '/proc/self/task';
/** The lowest niceness of the threads: each gets a tenth of the CPU time of a thread that answers, where both want the same core. */
const NICENESS = 10;

/**
 * Lets the threads that V8 has started in this process, and any other beside the main one, give way to threads that answer requests or run jobs,
 * in every process of the machine. V8 compiles hot functions and collects garbage in them, and in the first seconds of a process they use as much
 * CPU time as its main thread (ADR 163). Chrome does the same for its compiler. Threads that start later have the priority of their creator. Only
 * Linux has priorities for single threads; elsewhere it does nothing.
 *
 * @returns the ids of the threads
 */
export function lowerBackgroundThreads(): number[] {
  const threads = ownThreads().filter((thread) => thread !== process.pid);
  const niceness = Math.max(getPriority(), NICENESS);
  return threads.filter((thread) => isSet(thread, niceness));
}

function ownThreads(): number[] {
  try {
    return readdirSync(TASKS).map(Number);
  } catch {
    return [];
  }
}

/** A thread can end meanwhile, and a sandbox can forbid the call. */
function isSet(thread: number, niceness: number): boolean {
  try {
    setPriority(thread, niceness);
    return true;
  } catch {
    return false;
  }
}
