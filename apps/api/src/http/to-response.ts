import { toToolMessages } from '@errand/agents';
import { isFinal, type CallAnswer, type Invocation } from '@errand/contracts';
import { answerCalls, readableWith, toInvocationResponse, type ObservationBudget } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';
import type { Registry } from '@errand/registry';

type Tools = Pick<Registry, 'find'>;

/** The invocation of an HTTP response. The record of the job stays inside Errand. */
export function toResponse(registry: Tools, { record, ...stored }: StoredInvocation): Invocation {
  const budget = budgetOf(registry, record);
  const response = toInvocationResponse(stored, budget);
  const { messageForm } = record;
  if (messageForm === undefined || !isFinal(stored.status)) return response;
  return { ...response, messages: toToolMessages(messageForm, answerCalls(stored, budget)) };
}

/** What a model reads about each call of an ended invocation. */
export function answersOf(registry: Tools, { record, ...stored }: StoredInvocation): CallAnswer[] {
  return answerCalls(stored, budgetOf(registry, record));
}

function budgetOf(registry: Tools, { agent, maxResultChars }: StoredInvocation['record']): ObservationBudget {
  const readable = readableWith((toolId) => registry.find(toolId, { agent }) !== undefined);
  return { maxChars: maxResultChars, readable };
}
