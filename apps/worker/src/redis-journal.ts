import type { NodeState } from '@errand/contracts';
import { Journal, type Journaled } from '@errand/engine';
import { readJournal, type JournalWriter, type Queues } from '@errand/queue';

/** The engine's journal of one step, kept beside the job: `<step>/<node>` → the node's state. */
export class RedisJournal extends Journal {
  private readonly prefix: string;

  constructor(
    private readonly queues: Queues,
    private readonly writer: JournalWriter,
    private readonly invocationId: string,
    step: number,
    /** The node that runs this as a tool, if it is one that does. */
    within = '',
  ) {
    super();
    this.prefix = `${step}/${within}`;
  }

  override async read(): Promise<Journaled> {
    const fields = await readJournal(this.queues, this.invocationId);
    const own = [...fields].filter(([field]) => field.startsWith(this.prefix));
    const states = own.map(([field, text]) => [field.slice(this.prefix.length), JSON.parse(text) as NodeState] as const);
    return { states: new Map(states), answers: new Map() };
  }

  override write(finished: readonly NodeState[]): Promise<void> {
    return this.writer.write(finished.map((state) => [`${this.prefix}${state.nodeId}`, state]));
  }
}
