import type { AguiEvent } from '@errand/agents';
import type { JsonObject } from '@errand/contracts';
import { readLastEvent, readWorldState, type NumberedEvent, type Queues, type SessionName } from '@errand/queue';

/** Reads of the world state. A turn that changes it in every one of these moments does not exist. */
const MAX_READS = 5;

/**
 * The world state at the begin of a run, and the number of the event up to which it has all changes. It is read with the first sign of the
 * turn, because the first turn of a session stores the initial state of its agent.
 */
export class StateAtBegin {
  private number: number | undefined;

  constructor(
    private readonly queues: Queues,
    private readonly session: SessionName,
    private readonly turn: string,
  ) {}

  /** The snapshot at the first call, and nothing later. */
  async events(): Promise<AguiEvent[]> {
    return this.number === undefined ? [{ type: 'STATE_SNAPSHOT', snapshot: await this.read() }] : [];
  }

  /** Whether the snapshot has the change of this event. */
  includes({ number, event }: NumberedEvent): boolean {
    return event.event === 'state' && number <= (this.number ?? 0);
  }

  /** Reads the state between two equal numbers of the last event, so that it has exactly the changes up to that number. */
  private async read(): Promise<JsonObject> {
    for (let reads = 1; ; reads++) {
      const before = await this.lastNumber();
      const state = await readWorldState(this.queues, this.session);
      this.number = await this.lastNumber();
      if (before === this.number || reads >= MAX_READS) return state;
    }
  }

  private async lastNumber(): Promise<number> {
    return (await readLastEvent(this.queues, this.turn))?.number ?? 0;
  }
}
