import { randomUUID } from 'node:crypto';
import type { Queues } from '../redis/connect.js';
import { MOST_NOTED } from './fold-bounds.js';
import { appendOnce, foldLog, parameterName, type AppendOnce, type LogEntry } from './stats-log.js';

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
  private readonly writer = randomUUID();
  private number = 0;
  /** The commands that Redis did not answer, by their keyspaces. They may have counted. */
  private readonly unanswered = new Map<Queues, AppendOnce>();

  constructor(private readonly queues: Queues) {}

  note(refusal: CountedRefusal): void {
    this.hold(refusal, 1);
    this.begin();
  }

  /** Stores what is held. A count that cannot be stored is lost. */
  async close(): Promise<void> {
    clearTimeout(this.retry);
    await this.storing;
    await this.storeAll().catch(() => {});
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
      await this.storeAll();
    } catch {
      // Redis is away. The counts wait for it.
      this.retry = setTimeout(() => this.begin(), RETRY_MS).unref();
    } finally {
      this.storing = undefined;
    }
  }

  private async storeAll(): Promise<void> {
    // A shard that does not answer does not hold up the others.
    await Promise.allSettled([...this.unanswered].map(([queues, command]) => this.send(queues, command)));
    while (this.held.size > 0) await this.store();
  }

  private async store(): Promise<void> {
    const queues = this.queues.shards?.next() ?? this.queues;
    if (this.unanswered.has(queues)) throw new Error('Redis has not answered the command before');
    const entries = [...this.held.values()].map((counted) => entryOf(counted));
    this.held = new Map();
    await this.send(queues, { writer: this.writer, number: ++this.number, entries });
  }

  private async send(queues: Queues, command: AppendOnce): Promise<void> {
    this.unanswered.set(queues, command);
    const length = await appendOnce(queues, command);
    this.unanswered.delete(queues);
    if (length > MOST_NOTED) await foldLog(queues);
  }
}

function entryOf({ refusal: { tenant, agent, code, toolIds, parameters }, count }: Counted): LogEntry {
  return {
    kind: 'refused',
    at: Date.now(),
    tenant,
    tools: [...toolIds],
    ...(agent !== undefined && { agent }),
    errorType: code,
    count,
    parameters: parameters.map(({ toolId, parameter, kind }) => parameterName(toolId, parameter, kind)),
  };
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
