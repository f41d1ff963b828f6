import { ToolError } from '@errand/contracts';
import type { Settled, SourceStates } from '../streams/node-inputs.js';
import { inDegree, type GraphNode, type Link } from '../graph/graph.js';
import type { Stream } from '../streams/stream.js';

/**
 * The state of a running graph. Each node goes through these states:
 * - blocked: `open` counts the incoming connections without a result.
 * - free: the count is 0, and the node may begin.
 * - settled: `settle` stored its outcome.
 * A connection with a stream counts as ready from its first chunk on, unless it leads to a group output.
 */
export class GraphState implements SourceStates {
  /** By the node's index. */
  private readonly settled: (Settled | undefined)[];
  /** By the node's index: the number of its connections without a result. */
  private readonly open: number[];
  private readonly streams = new Map<Link, Stream>();
  private readonly uncaught = new Map<unknown, ToolError>();

  constructor(private readonly nodes: readonly GraphNode[]) {
    this.open = nodes.map(inDegree);
    this.settled = nodes.map(() => undefined);
  }

  /** The nodes without incoming connections. */
  sources(): GraphNode[] {
    return this.nodes.filter(({ index }) => this.open[index] === 0);
  }

  settledOf(node: GraphNode): Settled | undefined {
    return this.settled[node.index];
  }

  streamOf(link: Link): Stream | undefined {
    return this.streams.get(link);
  }

  /** Stores the outcome of a node. Adds the nodes that may begin now to `freed`. */
  settle(node: GraphNode, settled: Settled, freed: GraphNode[]): void {
    this.settled[node.index] = settled;
    if ('failure' in settled && isEnd(node)) this.addUncaught(settled.failure);
    for (const link of node.outgoing) {
      const hasBegun = this.streams.size > 0 && this.streams.has(link) && link.target.kind !== 'groupOutput';
      if (!hasBegun) this.countDown(link.target, freed);
    }
  }

  /** Marks a connection as streaming. Adds the nodes that may begin now to `freed`. */
  beginStream(link: Link, stream: Stream, freed: GraphNode[]): void {
    this.streams.set(link, stream);
    if (link.target.kind !== 'groupOutput') this.countDown(link.target, freed);
  }

  /** Whether the node reads from a stream. */
  readsStreams(node: GraphNode): boolean {
    return this.streams.size > 0 && this.streamSources(node).length > 0;
  }

  /** A source of its streams that has not ended yet. */
  openSource(node: GraphNode): GraphNode | undefined {
    return this.streams.size > 0 ? this.streamSources(node).find((source) => !this.settledOf(source)) : undefined;
  }

  /** @throws ToolError of the first failure that reached an end of the graph */
  throwUncaught(): void {
    const [first, ...others] = this.uncaught.values();
    if (!first) return;
    const alsoFailed = others.map((failure) => failure.details?.nodeId);
    throw others.length === 0 ? first : new ToolError(first.type, first.message, { ...first.details, alsoFailed });
  }

  private streamSources(node: GraphNode): GraphNode[] {
    return [...node.incoming.values()].flat().flatMap((link) => (this.streams.has(link) ? [link.source] : []));
  }

  private countDown(node: GraphNode, freed: GraphNode[]): void {
    if (--this.open[node.index]! === 0) freed.push(node);
  }

  /** Keyed by the node that failed, because one failure can reach several ends. */
  private addUncaught(failure: ToolError): void {
    const origin = failure.details?.nodeId ?? failure;
    if (!this.uncaught.has(origin)) this.uncaught.set(origin, failure);
  }
}

/** Whether no other node can accept a failure of this node. */
function isEnd({ outgoing }: GraphNode): boolean {
  return outgoing.length === 0 || outgoing.some(({ target }) => target.kind === 'groupOutput');
}
