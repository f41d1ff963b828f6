import type { ArgumentMetadata } from '@nestjs/common';
import { ProblemError } from './problem-error.js';
import { RequestPipe } from './request-pipe.js';
import { AnswerRequest } from './control-requests.js';
import { SubmitRequest } from './submission-requests.js';

const CALL = { toolId: 'core:echo', arguments: { value: 1 } };
const read = (body: unknown, metatype: ArgumentMetadata['metatype'] = SubmitRequest) =>
  new RequestPipe().transform(body, { type: 'body', metatype });

function problemsOf(body: unknown): unknown {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ProblemError) return (error.more.errors ?? []).map(({ path, message }) => [path, message]);
    throw error;
  }
}

describe('RequestPipe', () => {
  it('takes an optional field that is null as one that was not given', () => {
    const nothing = { agent: null, session: null, callback: null, metadata: null, attachments: null, protocol: null };
    const options = { delayMs: null, backoff: null, mode: null };
    expect(read({ ...CALL, ...nothing, text: null, calls: null, options })).toEqual({ ...CALL, options: {} });
  });

  it('A list that is far too long is refused before its entries are checked', () => {
    const calls = Array.from({ length: 200_000 }, () => ({}));
    expect(problemsOf({ calls })).toEqual([['/calls', 'calls must contain no more than 1000 elements']]);
  });

  it('A body with very many mistakes gets a hundred of them', () => {
    const unknown = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`field${index}`, 1]));
    expect(problemsOf(unknown)).toHaveLength(100);
    expect(problemsOf({ calls: Array.from({ length: 1_000 }, () => ({})) })).toHaveLength(100);
  });

  it('keeps a null that is a value', () => {
    expect(read({ result: null, error: null }, AnswerRequest)).toEqual({ result: null });
  });

  it.each<[string, object, string[][]]>([
    ['a list for an object', { options: [] }, [['/options', 'options must be an object']]],
    ['a list within', { options: { backoff: [[]] } }, [['/options/backoff', 'options.backoff must be an object']]],
    ['a text for an object', { callback: 'http://example.com' }, [['/callback', 'callback must be an object']]],
    ['an object for a list', { attachments: {} }, [['/attachments', 'attachments must be a list of objects']]],
    ['a null in a list', { attachments: [null] }, [['/attachments/0', 'attachments.0 must be an object']]],
    ['a list in a list', { calls: [CALL, []] }, [['/calls/1', 'calls.1 must be an object']]],
    ['another type', { session: 5 }, [['/session', 'session must be a string']]],
    ['another type where there is a pattern', { agent: 5 }, [['/agent', 'agent must be a string']]],
    ['a null where something must be', { calls: [{ toolId: null }] }, [['/calls/0/toolId', 'toolId must be a string']]],
  ])('says of %s what it must be, and where', (_, fields, problems) => {
    expect(problemsOf({ ...CALL, ...fields })).toEqual(problems);
  });

  it('tells of unknown fields and of wrong values together, with the nearest right name', () => {
    expect(problemsOf({ ...CALL, callbak: {}, options: { priority: 0 } })).toEqual([
      ['/callbak', "There is no field 'callbak' here, did you mean 'callback'?"],
      ['/options/priority', 'priority must not be less than 1'],
    ]);
  });
});
