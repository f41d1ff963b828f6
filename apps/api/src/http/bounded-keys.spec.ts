import { RetryRequest } from './control-requests.js';
import { ProblemError } from './problem-error.js';
import { RequestPipe } from './request-pipe.js';
import { SubmitRequest } from './submission-requests.js';

const pipe = new RequestPipe();
const read = (body: object, metatype: typeof SubmitRequest | typeof RetryRequest) => {
  try {
    return pipe.transform(body, { type: 'body', metatype });
  } catch (error) {
    return error as ProblemError;
  }
};
const check = (metadata: unknown) => read({ text: 'x', metadata }, SubmitRequest);
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

it.each([
  [keys(257), 'metadata must have at most 256 keys, not 257'],
  [keys(60_000), 'metadata must have at most 256 keys, not 60000'],
  [{ ok: 1, ['x'.repeat(257)]: 1 }, /^metadata must have keys of at most 256 characters; one has 257: 'x{40}…'$/],
  [[1], 'metadata must be an object'],
])('Metadata beyond the bounds of its keys is refused with an explanation', (metadata, detail) => {
  const refused = check(metadata);
  expect(refused).toBeInstanceOf(ProblemError);
  expect((refused as ProblemError).detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
});

it('Metadata with as many and as long keys as allowed is kept unchanged', () => {
  const metadata = { ...keys(254), ['x'.repeat(256)]: { deep: keys(300) }, constructor: 1 };
  expect(check(metadata)).toMatchObject({ metadata });
});

it.each([
  [{ steps: keys(90_000) }, 'steps must have at most 1000 keys, not 90000'],
  [{ limits: keys(90_000) }, 'limits must have at most 100 keys, not 90000'],
])('A repair with more keys than an invocation can have is refused', (body, detail) => {
  expect(read(body, RetryRequest)).toMatchObject({ code: 'invalid_request', detail });
});

it('A repair may change each of 1,000 steps', () => {
  const body = { steps: keys(1_000), limits: { maxRounds: 1 } };
  expect(read(body, RetryRequest)).toMatchObject(body);
});
