import type { Invocation, NodeState } from '@errand/contracts';
import { longRuns } from './long-runs.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const node = (nodeId: string, over: Partial<NodeState>): NodeState => ({
  nodeId,
  type: 'core:http',
  status: 'running',
  startedAt: at(0),
  finishedAt: null,
  ...over,
});
const nodes = [
  node('new', { startedAt: at(50) }),
  node('second', { startedAt: at(5) }),
  node('first', {}),
  node('waits', { waiting: { for: 'time', until: null } }),
  node('ended', { status: 'succeeded' }),
];
const invocationWith = (over: Partial<Invocation>) =>
  ({ status: 'running', steps: [{ index: 0, nodes }], ...over }) as unknown as Invocation;
const namesOf = (over: Partial<Invocation>) =>
  longRuns(invocationWith(over), Date.parse(at(59))).map(({ nodeId }) => nodeId);

describe('The nodes that have run for long', () => {
  it('A node that runs for 30 s is named, longest first, but none that waits or has ended', () => {
    expect(namesOf({})).toEqual(['first', 'second']);
  });

  it('An invocation that has ended, or that has its own reason to wait, names none', () => {
    const queue = { position: null, ahead: null, etaMs: null, waitingFor: 'a script-runner: none is alive' };
    expect([...namesOf({ status: 'cancelled' }), ...namesOf({ queue })]).toEqual([]);
  });
});
