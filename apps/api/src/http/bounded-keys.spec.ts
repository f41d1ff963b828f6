import { ProblemError } from './problem-error.js';
import { RequestPipe } from './request-pipe.js';
import { SubmitRequest } from './submission-requests.js';

const pipe = new RequestPipe();
const check = (metadata: unknown) => {
  try {
    return pipe.transform({ text: 'x', metadata }, { type: 'body', metatype: SubmitRequest });
  } catch (error) {
    return error as ProblemError;
  }
};
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
