import type { Invocation, JobLeft, ProcessKind, ProcessList, ShownProcess } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';

/** A process that was lost while it ran an invocation or a script of it. */
export interface Loss extends Pick<JobLeft, 'since' | 'step' | 'now'> {
  process: string;
  kind: ProcessKind;
  /** Its last heartbeat, or the start of the job if that came later. */
  at: string;
  /** The process that has taken the job over. */
  successor: string | null;
}

/** The losses of an invocation, oldest first, as far as they are still known: for an hour. */
export function lossesOf(id: string, processes: readonly ShownProcess[]): Loss[] {
  const losses = processes.flatMap(({ id: process, kind, lastSeenAt, left = [] }) =>
    left
      .filter(({ invocationId }) => invocationId === id)
      .map(({ since, step, now, process: holder }): Loss => {
        const at = since > lastSeenAt ? since : lastSeenAt;
        return { process, kind, at, since, step, now, successor: holder === process ? null : holder };
      }),
  );
  return losses.toSorted((a, b) => a.at.localeCompare(b.at));
}

/** Reads the losses of an invocation that may have some: it began again, or it waits although it has begun. */
export function useLosses(invocation: Invocation | undefined): Loss[] {
  const { id = '', status, startedAt = null, queue, steps = [], earlierAttempts = [] } = invocation ?? {};
  const starts = Math.max(earlierAttempts.length, ...steps.map(({ attempts }) => attempts));
  const mayHaveSome = starts > 1 || (startedAt !== null && (status === 'queued' || queue !== undefined));
  const key = mayHaveSome ? `losses of ${id} ${starts} ${status} ${queue !== undefined}` : 'no losses';
  const losses = useLoaded(key, async (signal) =>
    mayHaveSome ? lossesOf(id, (await read<ProcessList>('/v1/processes', {}, signal)).items) : [],
  );
  return losses.data ?? [];
}
