import { newInvocationId } from '@errand/contracts';
import { toCursor } from './list-cursor.js';
import { readListQuery } from './read-list-query.js';

const read = (query: Record<string, unknown>, tenant = 'default') => readListQuery(tenant, query);

const refused = (query: Record<string, unknown>, tenant?: string) => {
  try {
    return read(query, tenant);
  } catch (error) {
    return (error as { detail: string }).detail;
  }
};

const ids = (count: number) => Array.from({ length: count }, () => newInvocationId());

describe('The query of a list', () => {
  it('A repeated parameter of a list is the same as its parts separated by commas', () => {
    expect(readListQuery('default', { status: ['failed', 'queued'] })).toEqual(
      readListQuery('default', { status: 'failed,queued' }),
    );
  });

  it('The query becomes filters and a limit', () => {
    const query = { status: 'failed', toolId: 'a:b', from: '2026-01-01', to: '2026-01-02T00:00:00+02:00', limit: '5' };
    expect(read({ ...query, 'metadata.ticket': '7', 'metadata.a.b': 'x' })).toMatchObject({
      sought: {
        statuses: ['failed'],
        toolId: 'a:b',
        from: Date.UTC(2026, 0, 1),
        to: Date.UTC(2026, 0, 1, 22),
        metadata: { ticket: '7', 'a.b': 'x' },
      },
      limit: 5,
      counts: false,
    });
    expect(read({})).toMatchObject({ sought: {}, limit: 20 });
  });

  it('Several statuses, ids, times of the end and of changes, fields and a count are read', () => {
    const some = ids(30);
    const times = { finishedFrom: '2026-01-01', finishedTo: '2026-01-01', updatedAfter: '2026-01-02T00:00:00.5Z' };
    const { sought, limit, fields, counts } = read({
      ...times,
      status: 'queued,failed,queued',
      ids: some.join(','),
      fields: 'status,steps',
      count: 'true',
    });
    expect(sought).toEqual({
      statuses: ['failed', 'queued'],
      ids: some.toSorted(),
      finishedFrom: Date.UTC(2026, 0, 1),
      finishedTo: Date.UTC(2026, 0, 1),
      updatedAfter: Date.UTC(2026, 0, 2) + 500,
    });
    expect({ limit, counts, names: [...fields.names].toSorted() }).toEqual({
      limit: 30,
      counts: true,
      names: ['id', 'status', 'steps'],
    });
  });

  it('Without fields, the items lack steps, calls and observation', () => {
    const { names, details } = read({}).fields;
    expect(details).toBe(false);
    for (const name of ['steps', 'calls', 'observation', 'queue']) expect(names.has(name)).toBe(false);
    for (const name of ['id', 'status', 'result', 'error', 'metadata', 'waiting', 'links'])
      expect(names.has(name)).toBe(true);
    expect(read({ fields: 'observation' }).fields.details).toBe(true);
    expect(read({ fields: 'result' }).fields.details).toBe(false);
  });

  it.each([
    [{ state: 'failed' }, /Unknown filter 'state'.*did you mean 'status'/],
    [{ 'metadata.': 'x' }, /Unknown filter 'metadata\.'/],
    [JSON.parse('{"__proto__": "x"}') as object, /Unknown filter '__proto__'/],
    [{ status: 'faild' }, /did you mean 'failed'/],
    [{ status: 'failed,quued' }, /not 'quued', did you mean 'queued'/],
    [{ status: 'failed,' }, /status has an empty part/],
    [{ status: ['failed', 'ended'] }, /status must have only .*not 'ended'/],
    [{ status: { failed: 'queued' } }, /status may be given once/],
    [{ agent: ['a', 'b'] }, /agent may be given once$/],
    [{ agent: '' }, /agent is empty/],
    [{ ids: '' }, /ids is empty/],
    [{ ids: 'inv_1,x' }, /ids must have ids such as .* not 'inv_1'/],
    [{ session: 'x'.repeat(257) }, /longer than the 256/],
    [{ from: 'yesterday' }, /from must be a time/],
    [{ from: '2026-13-01' }, /from must be a time/],
    [{ from: '2026-02-30' }, /from must be a time/],
    [{ updatedAfter: '1700000000' }, /updatedAfter must be a time/],
    [{ finishedFrom: '2026-01-02', finishedTo: '2026-01-01' }, /finishedFrom must not be later than finishedTo/],
    [{ from: '2026-02-01', to: '2026-01-01' }, /from must not be later than to/],
    [{ fields: '__proto__' }, /fields must have only .* not '__proto__'/],
    [{ fields: 'constructor,id' }, /not 'constructor'/],
    [{ fields: 'stats' }, /id, status, .* not 'stats', did you mean 'status'/],
    [{ count: '1' }, /count must be true or false, not '1'/],
    [{ toolId: 'core:echo@^1' }, /without a version: core:echo$/],
    [{ to: '2026-01-01T00:00:00' }, /to must be a time/],
    [{ limit: '0' }, /limit must be from 1 to 1000/],
    [{ limit: '1001' }, /limit must be from 1 to 1000/],
    [{ limit: '9'.repeat(30) }, /limit must be a whole number/],
    [{ limit: '-1' }, /limit must be a whole number/],
    [{ batch: 'inv_0' }, /batch must be the id of a batch, bat_…/],
    [{ cursor: 'nonsense' }, /cursor must be a nextCursor/],
    [{ cursor: '' }, /cursor is empty/],
  ])('The query %j is refused with an explanation', (query, words) => {
    expect(refused(query as Record<string, unknown>)).toMatch(words);
  });

  it('A list by ids takes 100 ids, and refuses 101', () => {
    expect(read({ ids: ids(100).join(',') }).limit).toBe(100);
    expect(refused({ ids: ids(101).join(',') })).toMatch(/ids may have 100 ids at most, not 101/);
  });
});

describe('The cursor of a list', () => {
  const id = newInvocationId();

  it('A cursor continues the list only with the same filters and for the same tenant', () => {
    const cursor = toCursor({ tenant: 'default', sought: read({ status: 'failed,queued' }).sought }, id)!;
    expect(read({ status: 'queued,failed', cursor, limit: '3' })).toMatchObject({ after: id });
    expect(refused({ status: 'queued', cursor })).toMatch(/other filters/);
    expect(refused({ cursor })).toMatch(/other filters/);
    expect(refused({ status: 'failed,queued', cursor }, 'stranger')).toMatch(/other filters/);
    expect(toCursor({ tenant: 'default', sought: {} }, undefined)).toBeNull();
  });

  it('A cursor of the order of changes continues only the list with the same updatedAfter', () => {
    const query = { updatedAfter: '2026-01-01' };
    const cursor = toCursor({ tenant: 'default', sought: read(query).sought }, `1795399834000123:${id}`)!;
    expect(read({ ...query, cursor })).toMatchObject({ after: `1795399834000123:${id}` });
    expect(refused({ updatedAfter: '2026-01-02', cursor })).toMatch(/other filters/);
    expect(refused({ cursor })).toMatch(/other filters/);
  });

  it.each(['', 'x', ':', '1:2:ID', '-1:ID', '1e9:ID', `${'9'.repeat(17)}:ID`, '1:inv_', 'ID\n'])(
    'A forged cursor with the position %j is refused',
    (form) => {
      const owner = { tenant: 'default', sought: read({ updatedAfter: '2026-01-01' }).sought };
      const cursor = toCursor(owner, form.replace('ID', id))!;
      expect(refused({ updatedAfter: '2026-01-01', cursor })).toMatch(/must be a nextCursor/);
    },
  );
});
