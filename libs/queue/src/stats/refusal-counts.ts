import type { Queues } from '../redis/connect.js';
import { appendToLog, parameterName } from './stats-log.js';

/** A submission that was refused with 422. */
export interface CountedRefusal {
  tenant: string;
  agent?: string | undefined;
  /** The code of the problem. */
  code: string;
  /** The tools that it calls, as far as they exist. */
  toolIds: readonly string[];
  /** What is wrong: the tool, the parameter as a JSON Pointer, and the kind of the error. */
  parameters: readonly { toolId: string; parameter: string; kind: string }[];
}

interface Counted {
  refusal: CountedRefusal;
  count: number;
}

/** So many different refusals are held until they are stored. Further ones are counted without their details. */
const MOST_HELD = 1_000;
const MOST_TENANTS = 1_000;
/** What one refusal counts. */
const MOST_TOOLS = 20;
const MOST_PARAMETERS = 50;
const LONGEST_PARAMETER = 100;
const RETRY_MS = 1_000;

/** Counts refusals in memory and stores them beside the answer, which never waits for it. A flood of refusals takes bounded memory. */
export class RefusalCounts {
  private held = new Map<string, Counted>();
  private storing: Promise<void> | undefined;
  private retry: NodeJS.Timeout | undefined;

  constructor(private readonly queues: Queues) {}

  note(refusal: CountedRefusal): void {
    this.hold(refusal, 1);
    this.begin();
  }

  /** Stores what is held. A count that cannot be stored is lost. */
  async close(): Promise<void> {
    clearTimeout(this.retry);
    await this.storing;
    await this.store().catch(() => {});
    clearTimeout(this.retry);
  }

  private begin(): void {
    this.storing ??= this.storeSoon();
  }

  private hold(refusal: CountedRefusal, count: number): void {
    const bounded = this.held.size < MOST_HELD ? boundedRefusal(refusal) : withoutDetails(refusal);
    const name = JSON.stringify(bounded);
    const known = this.held.get(name);
    if (known) known.count += count;
    else if (this.held.size < MOST_HELD + MOST_TENANTS) this.held.set(name, { refusal: bounded, count });
  }

  private async storeSoon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.held.size > 0) await this.store();
    } catch {
      // Redis is away. The counts wait for it.
      this.retry = setTimeout(() => this.begin(), RETRY_MS).unref();
    } finally {
      this.storing = undefined;
    }
  }

  private async store(): Promise<void> {
    const taken = [...this.held.values()];
    this.held = new Map();
    const at = Date.now();
    const entries = taken.map(({ refusal: { tenant, agent, code, toolIds, parameters }, count }) => ({
      kind: 'refused' as const,
      at,
      tenant,
      tools: [...toolIds],
      ...(agent !== undefined && { agent }),
      errorType: code,
      count,
      parameters: parameters.map(({ toolId, parameter, kind }) => parameterName(toolId, parameter, kind)),
    }));
    try {
      await appendToLog(this.queues.shards?.next() ?? this.queues, entries);
    } catch (error) {
      for (const { refusal, count } of taken) this.hold(refusal, count);
      throw error;
    }
  }
}

function boundedRefusal({ tenant, agent, code, toolIds, parameters }: CountedRefusal): CountedRefusal {
  return {
    tenant,
    agent,
    code,
    toolIds: toolIds.slice(0, MOST_TOOLS),
    parameters: parameters
      .slice(0, MOST_PARAMETERS)
      .map(({ toolId, parameter, kind }) => ({ toolId, parameter: parameter.slice(0, LONGEST_PARAMETER), kind })),
  };
}

function withoutDetails({ tenant, code }: CountedRefusal): CountedRefusal {
  return { tenant, code, toolIds: [], parameters: [] };
}
