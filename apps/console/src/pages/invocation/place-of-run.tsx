import type { ProcessList, Step, ToolInterface, ToolKind } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { HostileText } from '../../text/hostile-text.js';

/** The kind of process that runs each kind of tool. */
const PLACES: Readonly<Record<ToolKind, string>> = {
  node: 'a worker',
  workflow: 'a worker',
  service: 'a worker',
  agent: 'a worker',
  script: 'a script-runner',
  mcp: 'another MCP server',
  external: 'outside Errand: the caller answers',
};

/** Where a step runs: by the kind of its tool, and while it runs the process that has it. */
export function PlaceOfRun({ id, step, isNode }: { id: string; step: Step; isNode: boolean }) {
  const { toolId, status, waiting, startedAt } = step;
  const path = `/v1/tools/${encodeURIComponent(toolId)}`;
  const tool = useLoaded(path, (signal) => read<ToolInterface & { runner?: string }>(path, {}, signal));
  if (waiting?.for === 'runner') {
    return (
      <>
        nowhere: no script-runner offers the label <HostileText text={waiting.label ?? ''} limit={80} isFixed />
      </>
    );
  }
  if (startedAt === null) return <>nowhere yet</>;
  const { kind, runner } = tool.data ?? {};
  return (
    <>
      {isNode ? 'a worker' : kind === undefined ? 'a worker or a script-runner' : PLACES[kind]}
      {!isNode && runner !== undefined && (
        <>
          {' '}
          with the label <HostileText text={runner} limit={80} isFixed />
        </>
      )}
      {status === 'running' && <Holders id={id} />}
    </>
  );
}

/** The processes that have the invocation now. */
function Holders({ id }: { id: string }) {
  const processes = useLoaded(`processes of ${id}`, (signal) => read<ProcessList>('/v1/processes', {}, signal));
  const found = (processes.data?.items ?? []).filter(({ inHand }) => inHand.some((job) => job.invocationId === id));
  return (
    <>
      {found.map((process) => (
        <span key={process.id}>
          :{' '}
          <a href="/console/processes" class="mono">
            <HostileText text={process.host ?? process.id} limit={80} isFixed />
          </a>
        </span>
      ))}
    </>
  );
}
