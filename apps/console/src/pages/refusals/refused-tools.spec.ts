import { refusedTools } from './refused-tools.js';

const place = { path: '', line: 1, column: 1, message: '' };
const unknown = { ...place, kind: 'unknown_tool' as const };

describe('The tools of a refusal', () => {
  it('Without an unknown name, all of them were called and exist', () => {
    const toolIds = ['core:math', 'core:echo'];
    const errors = [{ ...place, kind: 'invalid_parameters' as const, suggestion: 'core:echo' }];
    expect(refusedTools({ toolIds, errors })).toEqual({ called: toolIds, nearest: [], known: toolIds });
  });

  it('The nearest tool to an unknown name exists and was not called', () => {
    const errors = [{ ...unknown, suggestion: 'core:math' }, unknown];
    expect(refusedTools({ toolIds: ['core:mth', 'x:y', 'core:math'], errors })).toEqual({
      called: ['core:mth', 'x:y'],
      nearest: ['core:math'],
      known: ['core:math'],
    });
  });

  it('A nearest tool before an unknown name was called itself', () => {
    const errors = [{ ...unknown, suggestion: 'core:math' }];
    expect(refusedTools({ toolIds: ['core:math', 'core:mth'], errors })).toEqual({
      called: ['core:math', 'core:mth'],
      nearest: [],
      known: ['core:math'],
    });
  });
});
