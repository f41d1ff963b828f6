import type { InvocationQuery, ListedInvocation } from '@errand/queue';
import { matchesFilter, matchesRefusal } from './matches-filter.js';

const CALL = { toolId: 'kb:import', version: '1.0.0', digest: 'd', kind: 'node', arguments: {} } as const;
const INVOCATION = {
  id: 'inv_00000000000000000000',
  status: 'failed',
  createdAt: '2026-11-01T00:00:00.000Z',
  finishedAt: '2026-11-01T00:00:05.000Z',
  error: { type: 'NodeError', message: 'x' },
  record: {
    tenant: 'default',
    mode: 'sequence',
    calls: [CALL],
    agent: 'ada',
    session: 's',
    metadata: { ticket: 7, deep: { a: 1 } },
  },
} as unknown as ListedInvocation;
const AT = Date.parse('2026-11-01T00:00:00.000Z');

describe('The filters of a stream', () => {
  it.each<[InvocationQuery, boolean]>([
    [{}, true],
    [{ statuses: ['failed', 'queued'] }, true],
    [{ statuses: ['queued'] }, false],
    [{ errorType: 'NodeError' }, true],
    [{ errorType: 'LostError' }, false],
    [{ toolId: 'kb:import', agent: 'ada', session: 's' }, true],
    [{ toolId: 'kb' }, false],
    [{ agent: 'bob' }, false],
    [{ session: 't' }, false],
    [{ ids: [INVOCATION.id] }, true],
    [{ ids: [] }, false],
    [{ batch: 'bat_00000000000000000000' }, false],
    [{ parent: 'inv_00000000000000000000' }, false],
    [{ metadata: { ticket: '7' } }, true],
    [{ metadata: { ticket: '8' } }, false],
    [{ metadata: { deep: '[object Object]' } }, false],
    [{ metadata: { constructor: 'x' } }, false],
    [{ from: AT, to: AT + 1 }, true],
    [{ from: AT + 1 }, false],
    [{ to: AT }, false],
    [{ finishedFrom: AT + 5_000, finishedTo: AT + 5_001 }, true],
    [{ finishedTo: AT + 5_000 }, false],
  ])('A failed invocation and the filter %j: %s', (filter, isMatch) => {
    expect(matchesFilter(filter, INVOCATION)).toBe(isMatch);
  });

  it('An open invocation matches no filter on its end', () => {
    expect(matchesFilter({ finishedFrom: 0 }, { ...INVOCATION, finishedAt: null })).toBe(false);
  });

  it('A refusal is selected by tool, agent and session', () => {
    const refusal = { toolIds: ['kb:import'], agent: 'ada', session: null };
    expect(matchesRefusal({ toolId: 'kb:import', agent: 'ada', statuses: ['queued'] }, refusal)).toBe(true);
    for (const filter of [{ toolId: 'kb:export' }, { agent: 'bob' }, { session: 's' }])
      expect(matchesRefusal(filter, refusal)).toBe(false);
  });
});
