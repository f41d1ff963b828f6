import type { NodeState, ProcessList, Step, ToolInterface, ToolKind, Waiting } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { InvocationLink } from '../../parts/invocation-link.js';
import { HostileText } from '../../text/hostile-text.js';
import { ProcessLink } from './process-link.js';
import { WAITS } from './time-spans.js';

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
const HOLDERS = { api: 'an API', worker: 'a worker', runner: 'a script-runner' };

/** What a step or node waits for, so that it runs nowhere. A step waits while each open node of it does. */
export function waitOf({ waiting, nodes = [] }: Pick<Step, 'waiting' | 'nodes'>): Waiting | undefined {
  if (waiting) return waiting;
  const open = nodes.filter((node) => node.waiting !== undefined || node.status === 'running');
  return open.every((node) => node.waiting !== undefined) ? open[0]?.waiting : undefined;
}

/** Where a step or node runs: by the kind of its tool, and while it runs the process that has it. */
export function PlaceOfRun({ id, step, node }: { id: string; step: Step; node: NodeState | undefined }) {
  const { toolId, deduplicatedFrom, attempts } = step;
  const path = `/v1/tools/${encodeURIComponent(toolId)}`;
  const tool = useLoaded(path, (signal) => read<ToolInterface & { runner?: string }>(path, {}, signal));
  const { status, startedAt } = node ?? step;
  const wait = waitOf(node ?? step);
  if (!node && deduplicatedFrom)
    return (
      <>
        not run again: <InvocationLink id={deduplicatedFrom.invocationId} /> did it
      </>
    );
  if (wait?.for === 'runner') {
    return (
      <>
        nowhere: no script-runner with the label <HostileText text={wait.label ?? ''} limit={80} isFixed /> has taken it
      </>
    );
  }
  if (wait) return <>nowhere: it waits for {WAITS[wait.for]}</>;
  if (startedAt === null) return <>{attempts > 0 && !node ? 'nowhere now' : 'nowhere yet'}</>;
  const { kind, runner } = tool.data ?? {};
  const usual = node ? 'a worker' : kind === undefined ? 'a worker or a script-runner' : PLACES[kind];
  return (
    <>
      {status === 'running' ? <Holders key={`${id} ${attempts}`} id={id} usual={usual} /> : usual}
      {!node && runner !== undefined && (
        <>
          {' '}
          with the label <HostileText text={runner} limit={80} isFixed />
        </>
      )}
    </>
  );
}

/** The processes that have the invocation or a script of it now. Without one, where it usually runs. */
function Holders({ id, usual }: { id: string; usual: string }) {
  const processes = useLoaded(`processes of ${id}`, (signal) => read<ProcessList>('/v1/processes', {}, signal));
  const found = (processes.data?.items ?? []).filter(
    ({ inHand, state }) => state !== 'lost' && inHand.some((job) => job.invocationId === id),
  );
  if (found.length === 0) return <>{usual}</>;
  return (
    <>
      {found.map(({ id: process, kind, host }, n) => (
        <span key={process}>
          {n > 0 && '; '}
          {HOLDERS[kind]}, <ProcessLink id={process} />
          {host !== null && (
            <>
              {' '}
              on <HostileText text={host} limit={80} isFixed />
            </>
          )}
        </span>
      ))}
    </>
  );
}
