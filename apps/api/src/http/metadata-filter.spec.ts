import { withDottedMetadata } from './metadata-filter.js';
import { readListQuery } from './read-list-query.js';

describe('The filter by metadata', () => {
  it.each([
    [{ 'metadata[ticket]': '7' }, { ticket: '7' }],
    [{ 'metadata.ticket': '7' }, { ticket: '7' }],
    [
      { 'metadata[a.b]': 'x', 'metadata.c': 'y' },
      { 'a.b': 'x', c: 'y' },
    ],
    [{ 'metadata[a]b]': 'x' }, { 'a]b': 'x' }],
    [JSON.parse('{"metadata[__proto__]":"x"}'), JSON.parse('{"__proto__":"x"}')],
  ])('The query %j selects by the metadata %j', (query, metadata) => {
    expect(JSON.stringify(readListQuery('default', query).sought)).toBe(JSON.stringify({ metadata }));
  });

  it.each([
    [{ 'metadata[a]': '1', 'metadata.a': '1' }, /metadata.a may be given once/],
    [{ 'metadata[a]': ['1', '2'] }, /metadata.a may be given once/],
    [{ 'metadata[a][b]': '1' }, /metadata\[a\]\[b\] has a key below a key/],
    [{ 'metadata[]': '1' }, /Unknown filter 'metadata\[\]'/],
    [{ 'metadata[a': '1' }, /Unknown filter/],
    [{ metadata: '1' }, /Unknown filter 'metadata'/],
  ])('The query %j is refused', (query, message) => {
    expect(() => readListQuery('default', query)).toThrow(message);
  });

  it('Other parameters keep their names', () => {
    expect(withDottedMetadata({ status: 'failed', limit: '1' })).toEqual({ status: 'failed', limit: '1' });
  });
});
