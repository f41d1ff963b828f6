import { toToolMessages } from '@errand/agents';
import { isFinal, type CallAnswer, type Invocation } from '@errand/contracts';
import { answerCalls, readableWith, toInvocationResponse, type ObservationBudget } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import type { Registry } from '@errand/registry';
import type { RequestScope } from './request-scope.js';

type Tools = Pick<Registry, 'find'>;

/** The invocation of an HTTP response. The operator sees its tenant. The record of the job stays inside Errand. */
export function toResponse(
  registry: Tools,
  { record, ...stored }: StoredInvocation,
  { showsTenant }: Pick<RequestScope, 'showsTenant'>,
): Invocation {
  const budget = budgetOf(registry, record);
  const { messageForm, tenant } = record;
  const response = { ...toInvocationResponse(stored, budget), ...(showsTenant && { tenant }) };
  if (messageForm === undefined || !isFinal(stored.status)) return response;
  return { ...response, messages: toToolMessages(messageForm, answerCalls(stored, budget)) };
}

/** What a model reads about each call of an ended invocation. */
export function answersOf(registry: Tools, { record, ...stored }: StoredInvocation): CallAnswer[] {
  return answerCalls(stored, budgetOf(registry, record));
}

/** The invocation with another size of results in its Observation. */
export function withBudget(invocation: StoredInvocation, maxResultChars: number | undefined): StoredInvocation {
  return maxResultChars === undefined
    ? invocation
    : { ...invocation, record: { ...invocation.record, maxResultChars } };
}

/** How much of each result an Observation shows. */
export function budgetOf(registry: Tools, { agent, maxResultChars }: StoredInvocation['record']): ObservationBudget {
  const readable = readableWith((toolId) => registry.find(toolId, { agent }) !== undefined);
  return { maxChars: maxResultChars, readable };
}
