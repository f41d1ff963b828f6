import { isObject } from '@errand/contracts';

/** The fields of a taken job in the order of `finish-and-take.lua`. Redis returns null for an absent field. */
export type TakenFields = [
  name: string,
  data: string | null,
  options: string | null,
  timestamp: string | null,
  delay: string | null,
  starts: string | number,
  deaths: string | null,
  deferredFailure: string | null,
  cancelRequestedAt: string | null,
  id: string,
];

/** Options that the lean script does not know are in no job of Errand, except deliveries: those that remove the ended job. */
const REMOVES = /"removeOn(?:Complete|Fail)":/;
/** Without it, BullMQ stores the stack of the error. */
const NO_STACK = '"stackTraceLimit":0';

/** A job that a consumer has taken. Its fields mean what those of BullMQ's `Job` mean. Times in ms. */
export class TakenJob<Data> {
  readonly id: string;
  readonly name: string;
  readonly data: Data;
  readonly timestamp: number;
  readonly delay: number;
  /** How often it was started, with this start. */
  readonly attemptsStarted: number;
  readonly stalledCounter: number;
  /** The job fails with this reason and does not run: the stalled check has set it, or the data is no JSON. */
  readonly deferredFailure: string | undefined;
  /** A cancel request came before this start. */
  readonly isCancelRequested: boolean;
  /** Whose job it is, unless the data does not say. */
  readonly tenant: string | undefined;
  /** The lean script can end it, as all jobs without options. Otherwise BullMQ's script must. */
  readonly isLean: boolean;
  /** A line for its log, which is stored with its end. Only deliveries have one. */
  logLine?: string;
  /** Set at the end. */
  finishedOn?: number;
  failedReason?: string;

  /**
   * @param token the token of its lock
   * @param processedOn the time of this start
   * @param askedAt when this process asked for jobs (ms of `performance.now()`). Undefined: BullMQ's script took the job
   */
  constructor(
    fields: TakenFields,
    readonly token: string,
    readonly processedOn: number,
    readonly askedAt: number | undefined,
  ) {
    const [name, data, options, timestamp, delay, starts, deaths, deferredFailure, cancelRequestedAt, id] = fields;
    this.id = id;
    this.name = name;
    const read = readData(data ?? '{}');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of the queue, as in BullMQ
    this.data = read.data as Data;
    this.tenant = tenantOf(read.data);
    this.timestamp = Number(timestamp);
    this.delay = Number(delay);
    this.attemptsStarted = Number(starts);
    this.stalledCounter = Number(deaths);
    this.deferredFailure = deferredFailure ?? read.failure;
    this.isCancelRequested = cancelRequestedAt !== null;
    this.isLean = options === null || (options.includes(NO_STACK) && !REMOVES.test(options));
  }
}

function tenantOf(data: unknown): string | undefined {
  const tenant: unknown = isObject(data) ? data['tenant'] : undefined;
  return typeof tenant === 'string' ? tenant : undefined;
}

function readData(text: string): { data: unknown; failure?: string } {
  try {
    return { data: JSON.parse(text) };
  } catch (error) {
    return { data: {}, failure: `The data of the job is no JSON: ${String(error)}` };
  }
}
