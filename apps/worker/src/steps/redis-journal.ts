import type { Answer, NodeState } from '@errand/contracts';
import { Journal, type Journaled } from '@errand/engine';
import {
  answersOf,
  inBatches,
  Queues,
  readAnswers,
  readJournal,
  NotificationHub,
  type JournalField,
} from '@errand/queue';
import type { StepContext } from './step-context.js';

/** The prefix of the nodes of a deliberation. */
const ROUND_KEY = /^\d+\/round\./;

/** Shared instance: creating an Error (stack trace) is expensive. */
const ENDED = new Error('The run has ended');

/** The engine's journal of one step, stored beside the job: `<step>/<node>` → the state of the node. */
export class RedisJournal extends Journal {
  private readonly prefix: string;
  private readonly isRound: boolean;

  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly context: StepContext,
    /** The prefix of node keys: empty, or the key of the node that called the tool. */
    within: string,
    /** Whether the run has one node only. Its outcome is that of the step or call, so it is not written here. */
    private readonly single: boolean,
    /** Whether nothing can be stored for this run yet. */
    private readonly isFresh: boolean,
    /** Resolves when the outcomes are stored on which a call of a node may depend. They precede those inside the call. */
    private readonly storedAround?: () => Promise<void>,
  ) {
    super();
    this.prefix = `${context.index}/${within}`;
    this.isRound = ROUND_KEY.test(this.prefix);
  }

  override async read(): Promise<Journaled> {
    const { work } = this.context;
    if (this.isFresh) return { states: new Map(), answers: new Map() };
    const [fields, answers] = await Promise.all([readJournal(this.queues, work.id), this.answers()]);
    const states = new Map<string, NodeState>();
    for (const [field, text] of fields)
      if (field.startsWith(this.prefix)) states.set(field.slice(this.prefix.length), JSON.parse(text) as NodeState);
    return { states, answers, isResumed: true };
  }

  override async write(states: readonly NodeState[]): Promise<void> {
    const kept = this.single ? states.filter(({ nodeId, waiting }) => waiting || nodeId.includes('/')) : states;
    if (kept.length === 0) return;
    await this.storedAround?.();
    const [waits, outcomes]: [JournalField[], NodeState[]] = [[], []];
    for (const state of kept)
      if (state.finishedAt === null) waits.push([this.prefix + state.nodeId, this.stored(state)]);
      else outcomes.push(this.stored(state));
    await this.context.journal.write([...waits, ...inBatches(this.prefix, outcomes)]);
  }

  /** @throws SupersededError if another attempt of the invocation has begun */
  override requireCurrent(): Promise<void> {
    return this.context.journal.requireCurrent();
  }

  override beginOnce(nodeId: string): Promise<boolean> {
    return this.context.journal.beginOnce(this.prefix + nodeId);
  }

  override clearOnce(nodeId: string): Promise<void> {
    return this.context.journal.clearOnce(this.prefix + nodeId);
  }

  /** The inputs of a deliberation are mostly the conversation, which the session stores already. A run that continues needs only results. */
  private stored(state: NodeState): NodeState {
    if (!this.isRound) return state;
    const { inputs: _, ...rest } = state;
    return rest;
  }

  /** Calls `report` with all answers each time that there is a new one. Returns a function that ends this. */
  onAnswer(report: (key: string, answer: Answer) => void, onError: (error: unknown) => void): () => void {
    const subscription = this.notifications.listen(answersOf(this.context.work.id));
    const ended = new AbortController();
    const listen = async () => {
      while (await subscription.next(ended.signal))
        for (const [key, answer] of await this.answers()) report(key, answer);
    };
    listen().catch(onError);
    return () => {
      ended.abort(ENDED);
      subscription.close();
    };
  }

  private async answers(): Promise<Map<string, Answer>> {
    const all = await readAnswers(this.queues, this.context.work.id);
    const own = [...all].filter(([field]) => field.startsWith(this.prefix));
    return new Map(own.map(([field, { answer }]) => [field.slice(this.prefix.length), answer]));
  }
}
