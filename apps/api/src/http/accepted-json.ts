import { linksOf, observeWarnings } from '@errand/protocol';
import type { Accepted } from '@errand/queue';
import type { RequestScope } from './request-scope.js';

/**
 * The JSON of an invocation that was just accepted. It is equal to `JSON.stringify(toResponse(…))` at a quarter of the cost. Most fields of
 * a new invocation are constant. The list of steps occurs twice and is serialized once.
 */
export function acceptedJson({ id, record, at }: Accepted, { showsTenant }: Pick<RequestScope, 'showsTenant'>): string {
  const { agent, session, responseText, warnings, metadata, attachments, retryOf } = record;
  const steps = record.calls.map(stepJson).join(',');
  const head = `"id":"${id}","status":"queued","createdAt":"${new Date(at).toISOString()}","startedAt":null,"finishedAt":null`;
  const given = `"agent":${json(agent)},"session":${json(session)},"responseText":${json(responseText)}`;
  const more = `${optional('warnings', warnings)},"metadata":${json(metadata)}${optional('attachments', attachments)}`;
  const lists = `${optional('retryOf', retryOf)},"calls":[${steps}],"steps":[${steps}]`;
  const observation = observeWarnings(warnings).join('\n') || undefined;
  const open = `"result":null,"error":null,"progress":null,"observation":${json(observation)}`;
  const end = `"links":${json(linksOf(`/v1/invocations/${id}`))}${optional('tenant', showsTenant && record.tenant)}`;
  return `{${head},${given}${more}${lists},${open},${end}}`;
}

function stepJson(
  { toolId, version, arguments: args, callId }: Accepted['record']['calls'][number],
  index: number,
): string {
  const call = `"toolId":${json(toolId)},"version":${json(version)},"arguments":${json(args)}${optional('callId', callId)}`;
  return `{"index":${index},${call},"status":"queued","startedAt":null,"finishedAt":null,"attempts":0}`;
}

function json(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

function optional(name: string, value: unknown): string {
  return value ? `,"${name}":${JSON.stringify(value)}` : '';
}
