import type { JsonObject } from '@errand/contracts';
import type { BulkRequest } from './bulk-requests.js';
import { readBulkRequest, type AskedPlan } from './read-bulk-request.js';

const plan = (request: Pick<BulkRequest, 'action' | 'filter' | 'ids'>) =>
  readBulkRequest('acme', Object.assign(request, { dryRun: true })) as AskedPlan;
const keys = (count: number, before: string): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${before}k${n}`, 'x']));

describe('A request for a bulk action', () => {
  it('An action touches only statuses that it can change, among those of the filter', () => {
    const statusesOf = (request: BulkRequest) => plan(request).sought.statuses;
    expect(statusesOf({ action: 'cancel', filter: {} })).toEqual(['queued', 'running', 'waiting_external']);
    expect(statusesOf({ action: 'retry', filter: {} })).toEqual(['failed', 'cancelled']);
    expect(statusesOf({ action: 'retry', filter: { status: ['failed', 'running'] } })).toEqual(['failed']);
    expect(statusesOf({ action: 'cancel', filter: { status: 'failed' } })).toEqual([]);
  });

  it('An action is bound to the moment of its dry run', () => {
    const { asOf, sought } = plan({ action: 'retry', filter: { to: '2099-01-01' } });
    expect(sought).toMatchObject({ to: asOf + 1, finishedTo: asOf + 1 });
    expect(plan({ action: 'cancel', filter: { to: '2020-01-01' } }).sought.to).toBe(Date.parse('2020-01-01'));
  });

  it('A filter has the filters of the list, with metadata as an object or by dotted names', () => {
    const filter = { toolId: 'core:echo', metadata: { a: 1, b: true }, 'metadata.c': 'x' };
    expect(plan({ action: 'cancel', filter }).sought).toMatchObject({
      toolId: 'core:echo',
      metadata: { a: '1', b: 'true', c: 'x' },
    });
  });

  it('The ids of a request are taken once each, the newest first', () => {
    expect(plan({ action: 'cancel', ids: ['inv_1', 'inv_2', 'inv_1'] }).ids).toEqual(['inv_2', 'inv_1']);
  });

  it.each<[string, JsonObject, string]>([
    ['an object', { metadata: keys(257, '') }, 'filter.metadata must have at most 256 keys, not 257'],
    ['dotted names', keys(257, 'metadata.'), 'metadata may have 256 keys at most, not 257'],
    ['both', { metadata: keys(256, ''), 'metadata.more': 'x' }, 'metadata may have 256 keys at most, not 257'],
  ])('A filter by more metadata than an invocation can have, as %s, is refused', (_, filter, reason) => {
    expect(() => plan({ action: 'cancel', filter })).toThrow(reason);
    expect(Object.keys(plan({ action: 'cancel', filter: keys(256, 'metadata.') }).sought.metadata ?? {})).toHaveLength(
      256,
    );
  });

  it.each<[string, BulkRequest, string]>([
    ['an action without a dry run', { action: 'cancel', filter: {} }, 'needs a dry run'],
    ['nothing', {}, 'Give `action`'],
    ['neither filter nor ids', { action: 'cancel', dryRun: true }, 'Give one of `filter` and `ids`'],
    ['filter and ids', { action: 'cancel', dryRun: true, filter: {}, ids: ['inv_1'] }, 'Give one of'],
    ['a token with an action', { token: 't', action: 'cancel' }, 'nothing else'],
    ['a token with a filter', { token: 't', filter: {} }, 'nothing else'],
    ['an unknown filter', { action: 'cancel', dryRun: true, filter: { tool: 'x' } }, "did you mean 'toolId'?"],
    [
      'an unknown filter that is a number',
      { action: 'cancel', dryRun: true, filter: { foo: 1 } },
      "Unknown filter 'foo'",
    ],
    ['a filter that is a number', { action: 'cancel', dryRun: true, filter: { toolId: 5 } }, 'toolId must be a text'],
    ['another order', { action: 'cancel', dryRun: true, filter: { updatedAfter: '2026-01-01' } }, 'no filter'],
    ['a tenant', { action: 'cancel', dryRun: true, filter: { tenant: 'corp' } }, 'no filter'],
    ['a filter that is an object', { action: 'cancel', dryRun: true, filter: { toolId: { a: 1 } } }, 'toolId'],
    ['metadata that are a text', { action: 'cancel', dryRun: true, filter: { metadata: 'x' } }, 'must be an object'],
  ])('A request with %s is refused', (_, request, reason) => {
    expect(() => readBulkRequest('acme', request)).toThrow(reason);
  });
});
