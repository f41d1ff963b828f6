import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const TASKS = '/proc/self/task';
/** The lowest niceness of the threads: each gets a tenth of the CPU time of a thread that answers, where both want the same core. */
const NICENESS = 10;

/**
 * Lets the other threads of this process give way to threads that answer requests or run jobs, in every process of the machine. They are those
 * in which V8 compiles hot functions and collects garbage. In the first seconds of a process, they use as much CPU time as its main thread
 * (ADR 163). Call it before the process starts threads of its own: those then have the priority of the main thread. Only Linux has priorities
 * for single threads; elsewhere it does nothing. Chrome does the same for its compiler.
 */
export function lowerBackgroundThreads(): void {
  const niceness = Math.max(getPriority(), NICENESS);
  for (const thread of ownThreads()) if (thread !== process.pid) tryToLower(thread, niceness);
}

function ownThreads(): number[] {
  try {
    return readdirSync(TASKS).map(Number);
  } catch {
    return [];
  }
}

function tryToLower(thread: number, niceness: number): void {
  try {
    setPriority(thread, niceness);
  } catch {
    // A thread can end meanwhile, and a sandbox can forbid the call. Nothing depends on it.
  }
}
