import * as scripts from 'bullmq/dist/cjs/scripts/index.js';

/*
 * BullMQ's scripts write each change of a job to the event stream of its queue, for BullMQ's `QueueEvents`. Errand does not read the stream, so
 * its processes leave these commands out of the scripts, unless `ERRAND_BULLMQ_EVENTS` is set.
 */
let areWritten = false;

/** Sets for the whole process whether its scripts write BullMQ's events. */
export function writeBullmqEvents(write: boolean): void {
  areWritten = write;
}

export function writesBullmqEvents(): boolean {
  return areWritten;
}

/** A script without its commands that write or trim the event stream. */
export function withoutEvents(text: string): string {
  const quiet = text
    .replaceAll(/\brcall\("X(?:ADD|TRIM)",/g, 'noEvent(')
    .replaceAll('= getOrSetMaxEvents(', '= noEvent(');
  return quiet === text ? text : `local function noEvent() end\n${quiet}`;
}

/** The script of a BullMQ command that writes events. */
export function scriptWithEvents(command: string): { keys: number; content: string } | undefined {
  const script = Object.values(scripts).find(({ name }) => name === command);
  return script && withoutEvents(script.content) !== script.content ? script : undefined;
}
