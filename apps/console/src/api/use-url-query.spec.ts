import { withQuery } from './use-url-query.js';

describe('The query of the address', () => {
  it('A change keeps the other values, and an empty value is removed', () => {
    expect(withQuery('/console/tools?q=a&tab=x', { q: 'b & c', tab: '' })).toBe('/console/tools?q=b+%26+c');
    expect(withQuery('/console/tools?q=a', { kind: 'node', q: undefined })).toBe('/console/tools?kind=node');
  });
});
