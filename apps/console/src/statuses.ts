import type { ProcessState, Status } from '@errand/contracts';

/** The shapes of the status marks: a status is never shown by its colour alone. */
export type Shape = 'ring' | 'triangle' | 'pause' | 'check' | 'cross' | 'slash' | 'dash';
/** A custom property of tokens.css: `--tone-<tone>`. */
export type Tone = 'queued' | 'running' | 'waiting' | 'good' | 'bad' | 'idle';

export interface StatusLook {
  word: string;
  tone: Tone;
  shape: Shape;
}

/** Every status of an invocation, a step or a node. */
export const STATUS_LOOKS: Readonly<Record<Status | 'skipped', StatusLook>> = {
  queued: { word: 'Queued', tone: 'queued', shape: 'ring' },
  running: { word: 'Running', tone: 'running', shape: 'triangle' },
  waiting_external: { word: 'Waiting', tone: 'waiting', shape: 'pause' },
  succeeded: { word: 'Succeeded', tone: 'good', shape: 'check' },
  failed: { word: 'Failed', tone: 'bad', shape: 'cross' },
  cancelled: { word: 'Cancelled', tone: 'idle', shape: 'slash' },
  skipped: { word: 'Skipped', tone: 'idle', shape: 'dash' },
};

const FINAL: readonly Status[] = ['succeeded', 'failed', 'cancelled'];

/** Whether an invocation with this status has ended. */
export function isFinal(status: Status): boolean {
  return FINAL.includes(status);
}

/** Whether a text is a status of an invocation. */
export function isStatus(text: string): text is Status {
  return text !== 'skipped' && Object.hasOwn(STATUS_LOOKS, text);
}

/** `stuck`: jobs wait and nobody takes them. `unserved`: nobody would take one. */
export type QueueState = 'paused' | 'stuck' | 'unserved' | 'working' | 'idle';

/** Every state of a queue. */
export const QUEUE_LOOKS: Readonly<Record<QueueState, StatusLook>> = {
  paused: { word: 'Paused', tone: 'waiting', shape: 'pause' },
  stuck: { word: 'No consumer', tone: 'bad', shape: 'cross' },
  unserved: { word: 'No consumer', tone: 'idle', shape: 'slash' },
  working: { word: 'Working', tone: 'running', shape: 'triangle' },
  idle: { word: 'Idle', tone: 'idle', shape: 'dash' },
};

/** Every state of a process. */
export const PROCESS_LOOKS: Readonly<Record<ProcessState, StatusLook>> = {
  ready: { word: 'Ready', tone: 'good', shape: 'check' },
  draining: { word: 'Draining', tone: 'waiting', shape: 'pause' },
  lost: { word: 'Lost', tone: 'bad', shape: 'cross' },
};
