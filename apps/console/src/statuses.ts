import type { Status } from '@errand/contracts';

/** The shapes of the status marks: a status is never shown by its colour alone. */
export type Shape = 'ring' | 'half' | 'pause' | 'check' | 'cross' | 'slash' | 'dash';
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
  running: { word: 'Running', tone: 'running', shape: 'half' },
  waiting_external: { word: 'Waiting', tone: 'waiting', shape: 'pause' },
  succeeded: { word: 'Succeeded', tone: 'good', shape: 'check' },
  failed: { word: 'Failed', tone: 'bad', shape: 'cross' },
  cancelled: { word: 'Cancelled', tone: 'idle', shape: 'slash' },
  skipped: { word: 'Skipped', tone: 'idle', shape: 'dash' },
};
