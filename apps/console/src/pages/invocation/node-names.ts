import type { Invocation, StepGraph } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { pathOf } from './use-invocation.js';

/** The graphs of so many steps are read for their names. */
const MOST_STEPS = 3;

/** The display name of a node of a step, if its workflow gives it one. */
export type NameOfNode = (step: number, nodeId: string | undefined) => string | undefined;

/** Reads the names that workflows give their nodes. They are absent until they are read, and if the graph is not kept. */
export function useNodeNames({ id, steps }: Invocation): NameOfNode {
  const wanted = steps.filter(({ nodes = [] }) => nodes.length > 0).slice(0, MOST_STEPS);
  const indexes = wanted.map(({ index }) => index);
  const graphs = useLoaded(`names of ${id} ${indexes.join()}`, (signal) =>
    Promise.all(indexes.map((index) => namesOf(`${pathOf(id)}/steps/${index}/graph`, signal))),
  );
  return (step, nodeId) =>
    nodeId === undefined ? undefined : graphs.data?.[indexes.indexOf(step)]?.get(nodeId.replaceAll(/#\d+(?=\/)/g, ''));
}

async function namesOf(path: string, signal: AbortSignal): Promise<Map<string, string>> {
  const graph = await read<StepGraph>(path, {}, signal).catch(() => undefined);
  const named = graph?.nodes ?? [];
  return new Map(named.flatMap(({ id, displayName }) => (displayName === undefined ? [] : [[id, displayName]])));
}
