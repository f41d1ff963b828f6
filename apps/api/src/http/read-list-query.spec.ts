import { newInvocationId } from '@errand/contracts';
import { readListQuery, toCursor } from './read-list-query.js';

const refused = (query: Record<string, unknown>) => {
  try {
    return readListQuery(query);
  } catch (error) {
    return (error as { detail: string }).detail;
  }
};

describe('The query of a list', () => {
  it('The query becomes filters and a limit', () => {
    const query = { status: 'failed', toolId: 'a:b', from: '2026-01-01', to: '2026-01-02T00:00:00+02:00', limit: '5' };
    expect(readListQuery({ ...query, 'metadata.ticket': '7', 'metadata.a.b': 'x' })).toEqual({
      sought: {
        status: 'failed',
        toolId: 'a:b',
        from: Date.UTC(2026, 0, 1),
        to: Date.UTC(2026, 0, 1, 22),
        metadata: { ticket: '7', 'a.b': 'x' },
      },
      limit: 5,
    });
    expect(readListQuery({})).toEqual({ sought: {}, limit: 20 });
  });

  it.each([
    [{ state: 'failed' }, /Unknown filter 'state'.*did you mean 'status'/],
    [{ 'metadata.': 'x' }, /Unknown filter 'metadata\.'/],
    [{ status: 'faild' }, /did you mean 'failed'/],
    [{ status: ['failed', 'queued'] }, /status may be given once/],
    [{ agent: '' }, /agent is empty/],
    [{ session: 'x'.repeat(257) }, /longer than the 256/],
    [{ from: 'yesterday' }, /from must be a time/],
    [{ from: '2026-13-01' }, /from must be a time/],
    [{ from: '2026-02-30' }, /from must be a time/],
    [{ toolId: 'core:echo@^1' }, /without a version: core:echo$/],
    [{ to: '2026-01-01T00:00:00' }, /to must be a time/],
    [{ limit: '0' }, /limit must be from 1 to 1000/],
    [{ limit: '1001' }, /limit must be from 1 to 1000/],
    [{ limit: '-1' }, /limit must be a whole number/],
    [{ batch: 'inv_0' }, /batch must be the id of a batch, bat_…/],
    [{ cursor: 'nonsense' }, /cursor must be a nextCursor/],
    [{ cursor: '' }, /cursor is empty/],
  ])('The query %j is refused with an explanation', (query, words) => {
    expect(refused(query)).toMatch(words);
  });

  it('A cursor continues the list only with the same filters', () => {
    const id = newInvocationId();
    const cursor = toCursor({ status: 'failed' }, id)!;
    expect(readListQuery({ status: 'failed', cursor, limit: '3' })).toMatchObject({ after: id });
    expect(refused({ status: 'queued', cursor })).toMatch(/other filters/);
    expect(refused({ cursor })).toMatch(/other filters/);
    expect(toCursor({}, undefined)).toBeNull();
  });
});
