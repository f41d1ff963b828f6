import type { Invocation } from '@errand/contracts';
import { toInvocationResponse, readableWith } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import type { Registry } from '@errand/registry';

/** The invocation of an HTTP response. The record of the job stays inside Errand. */
export function toResponse(registry: Pick<Registry, 'find'>, { record, ...stored }: StoredInvocation): Invocation {
  const { agent, maxResultChars } = record;
  const readable = readableWith((toolId) => registry.find(toolId, { agent }) !== undefined);
  return toInvocationResponse(stored, { maxChars: maxResultChars, readable });
}
