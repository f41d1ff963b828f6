import { linksOf, observeWarnings } from '@errand/protocol';
import type { Accepted } from '@errand/queue';

/**
 * What is answered of an invocation that has just been accepted, as JSON. Letter for letter what `AnswerInvocation` makes of it, at a
 * quarter of the cost: most of a fresh invocation is known, and the list of its steps, which stands there twice, is written once.
 */
export function writeAccepted({ id, record, at }: Accepted): string {
  const { agent, session, responseText, warnings, metadata, attachments, retryOf } = record;
  const steps = record.calls.map(writeStep).join(',');
  const began = `"id":"${id}","status":"queued","createdAt":"${new Date(at).toISOString()}","startedAt":null,"finishedAt":null`;
  const asked = `"agent":${write(agent)},"session":${write(session)},"responseText":${write(responseText)}`;
  const given = `${optional('warnings', warnings)},"metadata":${write(metadata)}${optional('attachments', attachments)}`;
  const lists = `${optional('retryOf', retryOf)},"calls":[${steps}],"steps":[${steps}]`;
  const observation = observeWarnings(warnings).join('\n') || null;
  const open = `"result":null,"error":null,"progress":null,"observation":${write(observation ?? undefined)}`;
  return `{${began},${asked}${given}${lists},${open},"links":${write(linksOf(`/v1/invocations/${id}`))}}`;
}

function writeStep({ toolId, version, arguments: args }: Accepted['record']['calls'][number], index: number): string {
  const called = `"toolId":${write(toolId)},"version":${write(version)},"arguments":${write(args)}`;
  return `{"index":${index},${called},"status":"queued","startedAt":null,"finishedAt":null,"attempts":0}`;
}

function write(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

function optional(name: string, value: unknown): string {
  return value ? `,"${name}":${JSON.stringify(value)}` : '';
}
