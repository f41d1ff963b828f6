import { Job, type IRedisTransaction, type JobsOptions, type ParentKeyOpts, type Queue } from 'bullmq';

/** What BullMQ sends to Redis to add a job with certain options, but for what differs from job to job: id, name, time and data. */
export interface JobForm {
  /** The script that adds it. */
  script: string;
  keys: readonly string[];
  /** The options, as the script reads them. */
  options: Buffer;
}

/** Behind the keys of its scripts BullMQ puts what differs, the data, and the options. */
const BEHIND_KEYS = 3;

/** BullMQ itself is asked: it adds such a job to what it takes for a transaction, and is listened to. */
export function formOf(queue: Queue, options: JobsOptions, place: ParentKeyOpts = {}): JobForm {
  const { jobData, parentKeyOpts } = new Job(queue, '', {}, options).toFlowEntry(place);
  let heard: { command: string; args: unknown[] } | undefined;
  const listening = { runCommand: (command: string, args: unknown[]) => (heard = { command, args }) };
  const transaction = listening as unknown as IRedisTransaction;
  void queue.getBackend().addJobToTransaction(transaction, jobData, '', parentKeyOpts);
  const { command, args } = heard!;
  return {
    // Behind the name stands BullMQ's version.
    script: command.slice(0, command.indexOf(':')),
    keys: args.slice(0, -BEHIND_KEYS) as string[],
    options: args.at(-1) as Buffer,
  };
}
