import type { EventWriter, JournalWriter, Work } from '@errand/queue';

/** What a step runs with: the job it belongs to, and where it tells and writes what happens. */
export interface StepContext {
  work: Work;
  index: number;
  signal: AbortSignal;
  events: EventWriter;
  journal: JournalWriter;
}
