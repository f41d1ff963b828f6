import { parseLabels } from './runner-label.js';

describe('the labels of a script-runner', () => {
  it('parseLabels returns each label once, in the given order', () => {
    expect(parseLabels(['default', 'gpu', 'a-100', 'gpu'])).toEqual(['default', 'gpu', 'a-100']);
  });

  it.each([
    ['GPU', "'GPU' is no label: lower-case letters, digits and '-', 32 characters at most, did you mean 'gpu'?"],
    ['big_memory', "did you mean 'big-memory'?"],
    ['gpu:0', "'gpu:0' is no label: lower-case letters, digits and '-', 32 characters at most"],
    ['x'.repeat(33), 'is no label'],
    ['', "'' is no label"],
  ])('parseLabels refuses the label %j', (label, said) => {
    expect(() => parseLabels(['default', label])).toThrow(said);
  });

  it('parseLabels refuses an empty list', () => {
    expect(() => parseLabels([])).toThrow('must name a label, such as default');
  });
});
