import type { Outcome } from './record.js';

/** The end of an invocation that succeeded, from the notification of its end. */
export interface ToldEnd {
  /** When it began, in ms. */
  startedOn: number;
  /** When it ended, in ms. */
  finishedOn: number;
  /** The number of its starts. */
  starts: number;
  outcome: Outcome;
}

/** Reads what `publish-end.lua` wrote behind the id. @throws Error if it is malformed */
export function readToldEnd(id: string, text: string): ToldEnd {
  const [, started, ended, starts, result] = /^(\d+) (\d+) (\d+) (.*)$/s.exec(text) ?? [];
  if (result === undefined) throw new Error(`The notification of the end of ${id} has a malformed outcome`);
  return {
    startedOn: Number(started),
    finishedOn: Number(ended),
    starts: Number(starts),
    outcome: JSON.parse(result) as Outcome,
  };
}
