import { ToolError, type NodeState } from '@errand/contracts';
import type { GraphNode } from '../graph/graph.js';
import type { WriteBehind } from './write-behind.js';

/**
 * Lets a node with `effects: once` run only once. States:
 * - free: it has not begun, it has failed, or it waits for an answer or a time before it acts.
 * - begun: it may have acted. If its process dies now, its outcome is unknown, and no attempt of the run begins it again.
 */
export class OnceMark {
  constructor(
    private readonly outcomes: WriteBehind,
    private readonly state: NodeState,
  ) {}

  /** @throws LostError if an earlier attempt has begun the node and its outcome is unknown */
  async set(): Promise<void> {
    const { nodeId, type } = this.state;
    if (await this.outcomes.beginOnce(nodeId)) return;
    throw new ToolError(
      'LostError',
      `The process that ran node '${nodeId}' (${type}) died. It is unknown whether the node took effect, and it may take effect only once`,
    );
  }

  clear(): Promise<void> {
    return this.outcomes.clearOnce(this.state.nodeId);
  }
}

/** The mark of a node that must run only once; undefined for any other node. */
export function onceMarkOf({ type }: GraphNode, state: NodeState, outcomes: WriteBehind): OnceMark | undefined {
  return type?.effects === 'once' ? new OnceMark(outcomes, state) : undefined;
}
