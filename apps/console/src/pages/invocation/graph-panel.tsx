import './graph-panel.css';
import type { Invocation, RunNode, StepGraph } from '@errand/contracts';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { RefusedRequest } from '../../api/problems.js';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useUrlChoice } from '../../api/use-url-choice.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { EmptyNotice, ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { StatusMark } from '../../parts/status-mark.js';
import { WindowedRows } from '../../parts/windowed-rows.js';
import { HostileText } from '../../text/hostile-text.js';
import { isFinal } from '../../statuses.js';
import { GraphCanvas } from './graph-canvas.js';
import { layOut } from './graph-layout.js';
import { pathOf } from './use-invocation.js';

const LIST_ROW_PX = 32;

/** The graph that a step ran with, with the state of each node. */
export function GraphPanel({ invocation }: { invocation: Invocation }) {
  const { get, set } = useUrlQuery();
  const { steps, id } = invocation;
  const wanted = get('graph') === '' ? -1 : Number(get('graph'));
  const index = steps[wanted]
    ? wanted
    : Math.max(
        0,
        steps.findIndex(({ nodes = [] }) => nodes.length > 0),
      );
  const path = `${pathOf(id)}/steps/${index}/graph`;
  const graph = useLoaded(path, (signal) => read<StepGraph>(path, {}, signal));
  const isOpen = !isFinal(invocation.status);
  const wasOpen = useRef(isOpen);
  // Nodes without a state of their own, such as outputs, get it from the end of the step.
  useEffect(() => {
    if (wasOpen.current && !isOpen) graph.reload();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const nodes = useMemo(
    () => graph.data && withStates(graph.data.nodes, invocation, index),
    [graph.data, invocation, index],
  );
  return (
    <div class="stack">
      {steps.length > 1 && (
        <label class="graph-step">
          <span class="faint">Step</span>
          <select
            class="select"
            aria-label="The graph of which step"
            value={index}
            onChange={(event) => set({ graph: event.currentTarget.value, node: undefined })}
          >
            {steps.slice(0, 200).map((step) => (
              <option key={step.index} value={step.index}>
                {step.index}
              </option>
            ))}
          </select>
          <HostileText text={steps[index]?.toolId ?? ''} limit={120} isFixed />
        </label>
      )}
      {graph.data && nodes ? (
        <GraphView key={path} graph={graph.data} nodes={nodes} />
      ) : graph.error === undefined ? (
        <LoadingRows />
      ) : (
        <NoGraph error={graph.error} onRetry={graph.reload} />
      )}
    </div>
  );
}

/** The states of the invocation are newer than those that came with the graph. */
function withStates(nodes: readonly RunNode[], { steps }: Invocation, index: number): RunNode[] {
  const step = steps[index];
  const states = new Map((step?.nodes ?? []).map((state) => [state.nodeId.replaceAll(/#\d+(?=\/)/g, ''), state]));
  const isAlone = nodes.length === 1 && states.size === 0 && step !== undefined;
  return nodes.map((node) => {
    const state = isAlone ? step : states.get(node.id);
    return state ? { ...node, status: state.status, attempts: state.attempts ?? 0 } : node;
  });
}

function NoGraph({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error instanceof RefusedRequest && error.status === 409) {
    return (
      <EmptyNotice title="This step has no graph">
        It calls a tool that is neither a workflow nor a node. The timeline shows when it ran, and the log what it
        wrote.
      </EmptyNotice>
    );
  }
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

function GraphView({ graph, nodes }: { graph: StepGraph; nodes: readonly RunNode[] }) {
  const { chosen, choose } = useUrlChoice('node', (wanted) =>
    nodes.some(({ id }) => id === wanted) ? wanted : (nodes[0]?.id ?? ''),
  );
  const canvas = useRef<{ focus: (id: string) => void }>(null);
  // A layout depends on nodes and edges alone, and states change while the invocation runs.
  const layout = useMemo(() => layOut(graph), [graph]);
  return (
    <>
      <GraphCanvas
        layout={layout}
        edges={graph.edges}
        nodes={nodes}
        chosen={chosen}
        onChoose={choose}
        handle={canvas}
      />
      <section class="panel" aria-label="Nodes as a list">
        <WindowedRows
          className="graph-list"
          count={nodes.length}
          rowHeight={LIST_ROW_PX}
          attributes={{ 'data-testid': 'graph-list', role: 'group', 'aria-label': 'Nodes' }}
          row={(row) => {
            const node = nodes[row];
            return node && <ListRow key={node.id} node={node} onFind={() => canvas.current?.focus(node.id)} />;
          }}
        />
      </section>
    </>
  );
}

function ListRow({ node, onFind }: { node: RunNode; onFind: () => void }) {
  return (
    <div class="graph-row" data-node={node.id} data-status={node.status}>
      <StatusMark status={node.status} />
      <button type="button" class="link" onClick={onFind}>
        <HostileText text={node.id} limit={120} isFixed />
      </button>
      <span class="faint">
        <HostileText text={node.displayName ?? node.type} limit={120} isFixed />
      </span>
    </div>
  );
}
