import { Queues, readEvents } from '@errand/queue';
import type { McpRequest } from './mcp-exchange.js';

const TOTAL = 100;
/** Events of one read. */
const PAGE = 64;

/** The progress of one call for its client: from 0 of 100 to 100, never going back. */
export class McpProgress {
  private last = -1;
  private number = 0;

  private constructor(
    private readonly token: string | number,
    private readonly id: string,
    private readonly queues: Queues,
    private readonly request: McpRequest,
  ) {}

  /** Undefined if the client has not asked for progress. */
  static of(id: string, queues: Queues, request: McpRequest): McpProgress | undefined {
    const { _meta: meta } = request.context.mcpReq;
    const token = meta?.progressToken;
    return token === undefined ? undefined : new McpProgress(token, id, queues, request);
  }

  /** Reports that the call has begun. */
  begin(): Promise<void> {
    return this.report(0);
  }

  /** Reports the events that were stored since the last call. */
  async follow(): Promise<void> {
    for (;;) {
      const page = await readEvents(this.queues, this.id, this.number, PAGE);
      this.number = page.at(-1)?.number ?? this.number;
      for (const { event } of page)
        if (event.event === 'progress') await this.report(percentOf(event.value), event.message);
      if (page.length < PAGE) return;
    }
  }

  /** Reports that the call has succeeded. */
  end(): Promise<void> {
    return this.report(TOTAL);
  }

  /** A client that does not read misses a report, so that reports never pile up here. */
  private async report(progress: number, message?: string): Promise<void> {
    if (this.last < 0 && progress > 0) await this.report(0);
    if (progress <= this.last || (progress < TOTAL && this.request.exchange.isBusy())) return;
    this.last = progress;
    const params = { progressToken: this.token, progress, total: TOTAL, ...(message !== undefined && { message }) };
    await this.request.context.mcpReq.notify({ method: 'notifications/progress', params });
  }
}

/** Of a part from 0 to 1, with two digits. */
function percentOf(value: number): number {
  return Math.round(Math.min(Math.max(value, 0), 1) * TOTAL * TOTAL) / TOTAL;
}
