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
  it('An optional field with the value null counts as missing', () => {
    const nothing = { agent: null, session: null, callback: null, metadata: null, attachments: null, protocol: null };
    const options = { delayMs: null, backoff: null, mode: null };
    expect(read({ ...CALL, ...nothing, text: null, calls: null, options })).toEqual({ ...CALL, options: {} });
  });

  it('A list that is far too long is refused before its entries are checked', () => {
    const calls = Array.from({ length: 200_000 }, () => ({}));
    expect(problemsOf({ calls })).toEqual([['/calls', 'calls must contain no more than 1000 elements']]);
  });

  it('A body with very many errors gets 100 of them', () => {
    const unknown = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`field${index}`, 1]));
    expect(problemsOf(unknown)).toHaveLength(100);
    expect(problemsOf({ calls: Array.from({ length: 1_000 }, () => ({})) })).toHaveLength(100);
  });

  it('A null that is a value is kept', () => {
    expect(read({ result: null, error: null }, AnswerRequest)).toEqual({ result: null });
  });

  it.each<[string, object, string[][]]>([
    ['a list in place of an object', { options: [] }, [['/options', 'options must be an object']]],
    [
      'a nested list in place of an object',
      { options: { backoff: [[]] } },
      [['/options/backoff', 'options.backoff must be an object']],
    ],
    [
      'a string in place of an object',
      { callback: 'http://example.com' },
      [['/callback', 'callback must be an object']],
    ],
    ['an object in place of a list', { attachments: {} }, [['/attachments', 'attachments must be a list of objects']]],
    ['a null in a list', { attachments: [null] }, [['/attachments/0', 'attachments.0 must be an object']]],
    ['a list in a list', { calls: [CALL, []] }, [['/calls/1', 'calls.1 must be an object']]],
    ['a number in place of a string', { session: 5 }, [['/session', 'session must be a string']]],
    ['a number in place of a string with a pattern', { agent: 5 }, [['/agent', 'agent must be a string']]],
    [
      'a null in place of a required value',
      { calls: [{ toolId: null }] },
      [['/calls/0/toolId', 'toolId must be a string']],
    ],
  ])('The error about %s says where it is and what it must be', (_, fields, problems) => {
    expect(problemsOf({ ...CALL, ...fields })).toEqual(problems);
  });

  it('One response reports unknown fields, with a suggestion, and wrong values', () => {
    expect(problemsOf({ ...CALL, callbak: {}, options: { priority: 0 } })).toEqual([
      ['/callbak', "Unknown field 'callbak', did you mean 'callback'?"],
      ['/options/priority', 'priority must not be less than 1'],
    ]);
  });
});
