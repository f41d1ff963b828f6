import { Job, type IRedisTransaction, type JobsOptions, type ParentKeyOpts, type Queue } from 'bullmq';

/** The command by which BullMQ adds a job with certain options, without the parts that differ from job to job: id, name, time and data. */
export interface JobTemplate {
  /** The name of the script that adds it. */
  script: string;
  keys: readonly string[];
  /** The options, in the encoding of the script. */
  options: Buffer;
}

/** BullMQ puts the job, its data and the options after the keys of the script. */
const ARGUMENTS_AFTER_KEYS = 3;

/** Records the command that BullMQ itself would send: it adds such a job to a transaction that only records. */
export function jobTemplateOf(queue: Queue, options: JobsOptions, parent: ParentKeyOpts = {}): JobTemplate {
  const { jobData, parentKeyOpts } = new Job(queue, '', {}, options).toFlowEntry(parent);
  let sent: { command: string; args: unknown[] } | undefined;
  const recorder = { runCommand: (command: string, args: unknown[]) => (sent = { command, args }) };
  const transaction = recorder as unknown as IRedisTransaction;
  void queue.getBackend().addJobToTransaction(transaction, jobData, '', parentKeyOpts);
  if (!sent) throw new Error('BullMQ sent no command that adds a job');
  const { command, args } = sent;
  return {
    // The version of BullMQ follows the name.
    script: command.slice(0, command.indexOf(':')),
    keys: args.slice(0, -ARGUMENTS_AFTER_KEYS) as string[],
    options: args.at(-1) as Buffer,
  };
}
