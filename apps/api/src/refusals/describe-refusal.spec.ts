import type { ToolLookup } from '@errand/contracts';
import { ProblemError } from '../http/problem-error.js';
import { describeRefusal, isKept } from './describe-refusal.js';

const PROBLEM = new ProblemError('unknown_tool', 'no', { called: ['core:ecko'] });
const NO_TOOLS: ToolLookup = {
  find: () => undefined,
  suggest: () => undefined,
  validate: (_, args) => ({ arguments: args, problems: [] }),
};
const REFUSED = { request: {}, tenant: 'acme', error: PROBLEM, at: 0, hasText: true };
const textOf = (text: string, hasText = true) =>
  describeRefusal({ ...REFUSED, request: { text }, hasText }, NO_TOOLS).refusal.text;

describe('The kept parts of a refused request', () => {
  it('A long text is cut after 64 KiB, between two characters', () => {
    expect(textOf('x'.repeat(65_536))).toHaveLength(65_536);
    expect(textOf('x'.repeat(65_537))).toHaveLength(65_536);
    expect(textOf('€'.repeat(30_000))).toBe('€'.repeat(21_845));
  });

  it('Without room for its text, the rest of a refusal is kept', () => {
    expect(textOf('hello', false)).toBe('');
    const { refusal } = describeRefusal({ ...REFUSED, hasText: false }, NO_TOOLS);
    expect(refusal).toMatchObject({ code: 'unknown_tool', toolIds: ['core:ecko'], text: '' });
    expect(refusal.at).toBe('1970-01-01T00:00:00.000Z');
  });

  it('Only problems with status 422 are kept', () => {
    expect(isKept(PROBLEM)).toBe(true);
    expect(isKept(new ProblemError('not_found', 'no'))).toBe(false);
  });
});
