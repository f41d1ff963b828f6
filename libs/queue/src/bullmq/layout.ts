/** Fields of a BullMQ job that Errand reads or resets itself. `README.md` in this folder explains each one. */
export const BULL_FIELD = {
  /** How often the job was started. */
  starts: 'ats',
  /** How often a process died with the job since it last made progress. */
  deaths: 'stc',
  /** How many attempts of a job have failed. */
  failures: 'atm',
  /** The process that started the job last. BullMQ stores the name of its worker there. */
  process: 'pb',
} as const;

/** The id of a stored job. BullMQ's type allows a job without one, because it makes ids itself when it adds a job. */
export function jobIdOf({ id }: { id?: string | undefined }): string {
  if (id === undefined) throw new Error('The job is not stored: it has no id');
  return id;
}

/** The due time of a delayed job (ms since 1970), from its score in the delayed set. */
export function timeOfScore(score: string | number): number {
  return Number(score) / 0x1000;
}

/** A member of the marker set. It wakes a blocked worker, which then looks for a waiting job. */
export const JOBS_WAIT = { score: 0, member: '0' } as const;

/**
 * A whole script of BullMQ as a Lua function, for another script that passes its KEYS and ARGV and gets its result. That makes a step of
 * BullMQ and a step of Errand one atomic command.
 */
export function asFunction({ name, content }: { name: string; content: string }): string {
  return `local function ${name}(KEYS, ARGV)\n${content}\nend\n`;
}
