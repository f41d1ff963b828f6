import type { NodeState } from '@errand/contracts';
import { toStep } from './read-invocation.js';
import type { StoredJob } from './stored-job.js';

const [EARLY, LATE] = ['2026-01-31T09:30:00.000Z', '2026-01-31T09:30:01.000Z'];
const END = Date.parse('2026-01-31T09:30:05.000Z');

const call = { toolId: 'workflow:w', version: '1.0.0', kind: 'workflow', digest: 'd', arguments: {} } as const;
const job: StoredJob = {
  data: { tenant: 'default', calls: [call], mode: 'sequence' },
  timestamp: END - 10_000,
  finishedOn: END,
  failedReason: '',
  returnvalue: null,
  startedOn: Date.parse(EARLY),
  attempts: 1,
  locked: false,
  suspended: null,
  cancelled: true,
  characters: 0,
};

const node = (nodeId: string, status: NodeState['status'], startedAt: string | null): [string, string] => [
  `0/${nodeId}`,
  JSON.stringify({ nodeId, type: 'core:echo', status, startedAt, finishedAt: null }),
];

describe('The nodes of a step', () => {
  it('Nodes are sorted by start, nodes that never began come last, and unfinished nodes end with the invocation', () => {
    const state = new Map([
      node('never', 'skipped', null),
      node('late', 'running', LATE),
      node('early', 'running', EARLY),
    ]);
    const failure = { type: 'CancelledError', message: 'The invocation was cancelled' } as const;
    const { nodes } = toStep(0, job, { status: 'cancelled', failure }, state);
    expect(nodes).toMatchObject([
      { nodeId: 'early', status: 'cancelled', finishedAt: new Date(END).toISOString() },
      { nodeId: 'late', status: 'cancelled' },
      { nodeId: 'never', status: 'skipped', finishedAt: null },
    ]);
  });
});
