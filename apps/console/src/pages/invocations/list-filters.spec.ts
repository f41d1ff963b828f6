import type { InvocationRow } from '@errand/contracts';
import {
  filtersIn,
  isoOfLocalTime,
  localTimeOf,
  matchesRow,
  metadataChanges,
  metadataText,
  queryOf,
} from './url-filters.js';

const ROW: InvocationRow = {
  id: 'inv_00000000000000000000',
  status: 'failed',
  createdAt: '2026-11-01T10:00:00.000Z',
  startedAt: null,
  finishedAt: null,
  agent: 'ada',
  session: 's',
  toolIds: ['kb:import', 'kb:export'],
  steps: { total: 2, done: 1 },
  attempts: 1,
  progress: null,
  errorType: 'NodeError',
  errorMessage: 'x',
  waitingFor: null,
  retryOf: null,
};

describe('The filters of the list of invocations', () => {
  it('The address has the filters that the API knows, and other names are left out', () => {
    const filters = filtersIn('?status=failed,queued&toolId=&agent=ada&metadata.__proto__=1&tab=x&metadata.=2');
    expect(queryOf(filters)).toEqual(
      Object.fromEntries([
        ['status', 'failed,queued'],
        ['agent', 'ada'],
        ['metadata.__proto__', '1'],
      ]),
    );
  });

  it.each([
    ['status=failed,queued&toolId=kb:export&agent=ada&session=s&errorType=NodeError', true],
    ['from=2026-11-01T10:00:00Z&to=2026-11-01T10:00:01Z', true],
    ['', true],
    ['status=queued', false],
    ['toolId=kb', false],
    ['agent=bob', false],
    ['errorType=LostError', false],
    ['to=2026-11-01T10:00:00Z', false],
    ['metadata.ticket=7', undefined],
    ['metadata.ticket=7&agent=bob', false],
  ])('A row and the filters %s: %s', (search, isMatch) => {
    expect(matchesRow(filtersIn(search), ROW)).toBe(isMatch);
  });

  it('Filters on metadata are one text of keys and values', () => {
    const filters = filtersIn('metadata.ticket=7&metadata.team=blue');
    expect(metadataText(filters)).toBe('ticket=7, team=blue');
    expect(metadataChanges(filters, 'team = red,')).toEqual({
      'metadata.ticket': undefined,
      'metadata.team': 'red',
    });
    expect(metadataChanges(filters, '')).toEqual({ 'metadata.ticket': undefined, 'metadata.team': undefined });
    for (const text of ['ticket', '=7', 'ticket=']) expect(metadataChanges(filters, text)).toBeUndefined();
  });

  it('A time is the same after it was shown in the zone of the reader', () => {
    expect(isoOfLocalTime(localTimeOf('2026-11-01T10:30:00.000Z'))).toBe('2026-11-01T10:30:00.000Z');
    expect([localTimeOf('soon'), localTimeOf(undefined), isoOfLocalTime('')]).toEqual(['', '', undefined]);
  });
});
