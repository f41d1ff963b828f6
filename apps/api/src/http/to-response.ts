import type { Invocation } from '@errand/contracts';
import { toInvocationResponse, readableWith } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import type { Registry } from '@errand/registry';
import type { RequestScope } from './request-scope.js';

/** The invocation of an HTTP response. The operator sees its tenant. The record of the job stays inside Errand. */
export function toResponse(
  registry: Pick<Registry, 'find'>,
  { record, ...stored }: StoredInvocation,
  { showsTenant }: Pick<RequestScope, 'showsTenant'>,
): Invocation {
  const { agent, maxResultChars, tenant } = record;
  const readable = readableWith((toolId) => registry.find(toolId, { agent }) !== undefined);
  const response = toInvocationResponse(stored, { maxChars: maxResultChars, readable });
  return showsTenant ? { ...response, tenant } : response;
}
