import type { DrawnEdge, RunNode } from '@errand/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { STATUS_LOOKS } from '../../statuses.js';
import { cutText, markedString } from '../../text/mark-text.js';
import { neighbourOf } from './graph-keys.js';
import type { Layout, PlacedNode } from './placed-graph.js';

interface Props {
  layout: Layout;
  edges: readonly DrawnEdge[];
  nodes: readonly RunNode[];
  /** The node that the keyboard is at. */
  chosen: string;
  onChoose: (id: string, byArrow?: boolean) => void;
  handle: { current: { focus: (id: string) => void } | null };
}

const SMALLEST = 0.05;
const LARGEST = 2;

/** The graph as a picture: scrolled as any part of a page, with buttons for its size, and arrow keys along its edges. */
export function GraphCanvas({ layout, edges, nodes, chosen, onChoose, handle }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  const fit = () => {
    const element = frame.current;
    if (element) setScale(clamp(Math.min(1, element.clientWidth / layout.width, element.clientHeight / layout.height)));
  };
  useEffect(fit, [layout]);
  const focus = (id: string, byArrow = false) => {
    onChoose(id, byArrow);
    const elements = frame.current?.querySelectorAll<SVGGElement>('[data-testid="graph-node"]') ?? [];
    const found = [...elements].find((element) => element.dataset['node'] === id);
    found?.focus({ preventScroll: true });
    found?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  handle.current = { focus };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbourOf(event.key, chosen, edges, layout.nodes);
    if (next === undefined) return;
    event.preventDefault();
    focus(next, true);
  };
  const states = new Map(nodes.map((node) => [node.id, node]));
  return (
    <section class="panel graph-panel" aria-label="Graph">
      <div class="graph-tools">
        <button type="button" class="button button-small" data-testid="graph-fit" onClick={fit}>
          Fit
        </button>
        <button
          type="button"
          class="button button-small"
          aria-label="Larger"
          onClick={() => setScale(clamp(scale * 1.25))}
        >
          +
        </button>
        <button
          type="button"
          class="button button-small"
          aria-label="Smaller"
          onClick={() => setScale(clamp(scale / 1.25))}
        >
          −
        </button>
        <span class="faint">
          {nodes.length} {nodes.length === 1 ? 'node' : 'nodes'}
        </span>
      </div>
      <div class="graph-frame" ref={frame}>
        <svg
          role="group"
          aria-label="Nodes and their connections"
          data-testid="graph"
          width={layout.width * scale}
          height={layout.height * scale}
          viewBox={`0 0 ${layout.width} ${layout.height}`}
          onKeyDown={onKeyDown}
        >
          {layout.nodes.filter(({ isBox }) => isBox).map((placed) => drawn(placed, states, chosen, onChoose))}
          {layout.edges.map(({ source, target, path }) => (
            <path key={JSON.stringify([source, target])} class="graph-edge" d={path} />
          ))}
          {layout.nodes.filter(({ isBox }) => !isBox).map((placed) => drawn(placed, states, chosen, onChoose))}
        </svg>
      </div>
    </section>
  );
}

function clamp(scale: number): number {
  return Number.isFinite(scale) ? Math.min(LARGEST, Math.max(SMALLEST, scale)) : 1;
}

function drawn(
  placed: PlacedNode,
  states: ReadonlyMap<string, RunNode>,
  chosen: string,
  onChoose: (id: string) => void,
) {
  const { id } = placed.node;
  return (
    <GraphNode
      key={id}
      placed={placed}
      status={states.get(id)?.status ?? 'queued'}
      isChosen={id === chosen}
      onChoose={() => onChoose(id)}
    />
  );
}

interface NodeProps {
  placed: PlacedNode;
  status: RunNode['status'];
  isChosen: boolean;
  onChoose: () => void;
}

/** The characters of a label that fit into a node. */
const LABEL = 21;

function GraphNode({ placed, status, isChosen, onChoose }: NodeProps) {
  const { node, x, y, width, height, isBox } = placed;
  const { word, tone } = STATUS_LOOKS[status];
  const short = node.id.slice(node.id.lastIndexOf('/') + 1);
  const label = markedString(cutText(short, LABEL)) + (short.length > LABEL ? '…' : '');
  const name = markedString(cutText(node.displayName ?? node.type, 80));
  return (
    <g
      class={`graph-node graph-${tone}${isBox ? ' graph-box' : ''}${isChosen ? ' graph-chosen' : ''}`}
      data-testid="graph-node"
      data-node={node.id}
      data-status={status}
      tabindex={isChosen ? 0 : -1}
      role="img"
      aria-label={`${markedString(cutText(node.id, 200))}, ${name}: ${word}`}
      transform={`translate(${Math.round(x)} ${Math.round(y)})`}
      onFocus={onChoose}
      onClick={onChoose}
    >
      <rect width={width} height={height} rx={isBox ? 10 : 6} />
      <text x={10} y={isBox ? 14 : 18}>
        {label}
      </text>
      {!isBox && (
        <text class="graph-word" x={10} y={34}>
          {word}
        </text>
      )}
    </g>
  );
}
