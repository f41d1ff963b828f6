import type { Invocation } from '@errand/contracts';
import { toInvocationResponse, readableWith } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Inject, Injectable } from '@nestjs/common';

/** An invocation as it is answered over HTTP; what it was accepted as (`record`) stays here. */
@Injectable()
export class AnswerInvocation {
  constructor(@Inject(Registry) private readonly registry: Pick<Registry, 'find'>) {}

  of({ record, ...stored }: StoredInvocation): Invocation {
    const { agent, maxResultChars } = record;
    const readable = readableWith((toolId) => this.registry.find(toolId, { agent }) !== undefined);
    return toInvocationResponse(stored, { maxChars: maxResultChars, readable });
  }
}
