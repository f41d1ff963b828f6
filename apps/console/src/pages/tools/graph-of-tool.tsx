import type { ShownTool, ToolGraph } from '@errand/contracts';
import { useRef } from 'preact/hooks';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { loadChunk } from '../../load-chunk.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { markedString } from '../../text/mark-text.js';
import type { PlacedGraph, PlacedNode } from './place-nodes.js';
import { useLibraryReload } from './use-library.js';

const LONGEST_LABEL = 24;

/** The nodes of a workflow or node, as the file has them today. The arrow keys follow the edges. */
export function GraphOfTool({ tool: { toolId, kind, version } }: { tool: ShownTool }) {
  if (kind !== 'workflow' && kind !== 'node') return null;
  return <Graph id={`${toolId}@${version}`} />;
}

function Graph({ id }: { id: string }) {
  const path = `/v1/tools/${encodeURIComponent(id)}/graph`;
  const graph = useLoaded(path, async (signal) => {
    const [drawing, { placeNodes }] = await Promise.all([
      read<ToolGraph>(path, {}, signal),
      loadChunk(() => import('./place-nodes.js')),
    ]);
    return placeNodes(drawing);
  });
  useLibraryReload(graph.reload);
  return (
    <section class="panel section" aria-labelledby="graph-title">
      <h2 id="graph-title">Graph</h2>
      {graph.error !== undefined && <ErrorNotice error={graph.error} onRetry={graph.reload} />}
      {graph.data === undefined && graph.error === undefined && <LoadingRows count={3} />}
      {graph.data !== undefined && <Drawing graph={graph.data} />}
    </section>
  );
}

function Drawing({ graph: { width, height, nodes, edges } }: { graph: PlacedGraph }) {
  const place = useRef<HTMLDivElement>(null);
  const focus = (id: string | undefined) => {
    const index = nodes.findIndex((node) => node.id === id);
    place.current?.querySelectorAll<SVGGElement>('[data-node]')[index]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, id: string) => {
    const isForward = event.key === 'ArrowRight' || event.key === 'ArrowDown';
    if (!isForward && event.key !== 'ArrowLeft' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    focus(isForward ? edges.find(({ from }) => from === id)?.to : edges.find(({ to }) => to === id)?.from);
  };
  return (
    <div
      class="graph-view"
      data-testid="graph"
      role="group"
      aria-label={`Graph of ${nodes.length} nodes`}
      tabIndex={0}
      ref={place}
    >
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">
            <path d="M0 0L8 4L0 8Z" />
          </marker>
        </defs>
        {edges.map(({ from, to, path }, index) => (
          <path key={`${index} ${from} ${to}`} d={path} marker-end="url(#arrow)" />
        ))}
        {nodes.map((node) => (
          <NodeBox key={node.id} node={node} onKeyDown={onKeyDown} />
        ))}
      </svg>
    </div>
  );
}

// The attributes of SVG distinguish capitals: `tabIndex` would be none.
function NodeBox({ node, onKeyDown }: { node: PlacedNode; onKeyDown: (event: KeyboardEvent, id: string) => void }) {
  const { id, type, kind, x, y, width, height } = node;
  const label = node.displayName ?? id;
  return (
    <g
      class={kind === 'group' ? 'graph-group' : undefined}
      data-testid="graph-node"
      data-node={id}
      transform={`translate(${x - width / 2} ${y - height / 2})`}
      tabindex={0}
      role="img"
      aria-label={`${markedString(label)}, ${markedString(type)}`}
      onKeyDown={(event) => onKeyDown(event, id)}
    >
      <rect width={width} height={height} rx="6" />
      <text x="10" y="18">
        {cut(label)}
      </text>
      <text x="10" y="34" class="graph-type">
        {cut(type)}
      </text>
    </g>
  );
}

function cut(text: string): string {
  return markedString(text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text);
}
