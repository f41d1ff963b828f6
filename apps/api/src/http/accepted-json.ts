import { linksOf, observeWarnings } from '@errand/protocol';
import type { Accepted } from '@errand/queue';
import type { RequestScope } from './request-scope.js';

type TenantView = Pick<RequestScope, 'showsTenant'>;

/** The JSON of the links, divided where the address of the invocation stands. An address needs no escapes. */
const LINKS = JSON.stringify(linksOf('@')).split('@');

/** The fields of an invocation that change until its end. */
export interface Progression {
  status: 'queued' | 'succeeded';
  startedAt: string | null;
  finishedAt: string | null;
  /** The JSON of the steps, without the brackets. */
  steps: string;
  /** The result as JSON. */
  result: string;
  progress: 1 | null;
  observation: string | undefined;
}

/**
 * The JSON of an invocation that was just accepted. It is equal to `JSON.stringify(toResponse(…))` at a quarter of the cost. Most fields of
 * a new invocation are constant.
 */
export function acceptedJson(accepted: Accepted, view: TenantView): string {
  const { calls, warnings } = accepted.record;
  return invocationText(accepted, view, {
    status: 'queued',
    startedAt: null,
    finishedAt: null,
    steps: calls.map(stepJson).join(','),
    result: 'null',
    progress: null,
    observation: warnings && (observeWarnings(warnings).join('\n') || undefined),
  });
}

/** The JSON of an invocation of a request, in the order of the fields of `toResponse`. The list of steps occurs twice and is serialized once. */
export function invocationText(
  { id, record, at }: Accepted,
  { showsTenant }: TenantView,
  present: Progression,
): string {
  const { agent, session, responseText, warnings, metadata, attachments, retryOf } = record;
  const { status, startedAt, finishedAt, steps, result, progress, observation } = present;
  const times = `"createdAt":"${new Date(at).toISOString()}","startedAt":${time(startedAt)},"finishedAt":${time(finishedAt)}`;
  const given = `"agent":${json(agent)},"session":${json(session)},"responseText":${json(responseText)}`;
  const more = `${optional('warnings', warnings)},"metadata":${json(metadata)}${optional('attachments', attachments)}`;
  const lists = `${optional('retryOf', retryOf)},"calls":[${steps}],"steps":[${steps}]`;
  const end = `"result":${result},"error":null,"progress":${progress},"observation":${json(observation)}`;
  const links = `"links":${LINKS.join(`/v1/invocations/${id}`)}${optional('tenant', showsTenant && record.tenant)}`;
  return `{"id":"${id}","status":"${status}",${times},${given}${more}${lists},${end},${links}}`;
}

function stepJson(
  { toolId, version, arguments: args, callId }: Accepted['record']['calls'][number],
  index: number,
): string {
  const call = `"toolId":${json(toolId)},"version":${json(version)},"arguments":${json(args)}${optional('callId', callId)}`;
  return `{"index":${index},${call},"status":"queued","startedAt":null,"finishedAt":null,"attempts":0}`;
}

function time(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

function json(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

function optional(name: string, value: unknown): string {
  return value ? `,"${name}":${JSON.stringify(value)}` : '';
}
