import { PROBLEM_CODES } from '@errand/contracts';
import { Queues, RefusalCounts } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest } from '../http/submission-requests.js';

const REFUSED = 422;

/** Counts the submissions that are refused with 422, for `GET /v1/stats` and the statistics of tools. */
@Injectable()
export class CountRefusals implements OnModuleDestroy {
  private readonly counts: RefusalCounts;

  constructor(
    queues: Queues,
    private readonly registry: Registry,
  ) {
    this.counts = new RefusalCounts(queues);
  }

  /** Counts a refusal, with the tools and parameters that it names. Other errors are ignored. */
  note(error: unknown, { agent }: SubmitRequest, tenant: string): void {
    if (!(error instanceof ProblemError) || statusOf(error) !== REFUSED) return;
    const { errors = [], called = [] } = error.more;
    const tools = called.map((name) => this.registry.find(name)?.toolId);
    this.counts.note({
      tenant,
      agent,
      code: error.code,
      toolIds: [...new Set(tools.flatMap((tool) => tool ?? []))],
      parameters: errors.flatMap((wrong) => {
        const toolId = wrong.call === undefined ? undefined : tools[wrong.call];
        const parameter = firstPart(wrong.path);
        if (toolId === undefined || parameter === '') return [];
        return [{ toolId, parameter, kind: 'kind' in wrong ? wrong.kind : error.code }];
      }),
    });
  }

  /** Stores what is counted, while Redis is still open. */
  onModuleDestroy(): Promise<void> {
    return this.counts.close();
  }
}

function statusOf({ code, more }: ProblemError): number {
  return more.status ?? PROBLEM_CODES[code].status;
}

/** The parameter that a JSON Pointer into the arguments begins with. */
function firstPart(pointer: string): string {
  const [, first = ''] = pointer.split('/', 2);
  return first.replaceAll('~1', '/').replaceAll('~0', '~');
}
