import type { Json, JsonObject, NodeContext, NodeType, StoredSlot, StoredWorkflow } from '@errand/contracts';
import { runWorkflow, type EngineEvent, type RunOptions } from '../src/index.js';
import { nodeType, options, workflow } from './workflow-kit.js';

export const ANY: StoredSlot = { dataFlowType: 'WILDCARD' };
export const STREAM: StoredSlot = { ...ANY, isStream: true };

type Generate = (inputs: JsonObject, context: NodeContext) => AsyncGenerator<JsonObject, JsonObject | void>;

/** A node that yields chunks at its output `value`. */
export const source = (run: Generate, type = 'test:source'): NodeType =>
  nodeType(type, ['first'], run, { outputs: { value: STREAM, count: ANY } });

/** A node that reads chunks at its input `value`. */
export const sink = (run: NodeType['run'], type = 'test:sink', slot: StoredSlot = STREAM): NodeType =>
  nodeType(type, ['other'], run, { inputs: { value: slot, other: ANY } });

/** Yields the numbers from 1 to `upTo` and returns the last one as `count`. */
export const counting = (upTo: number, log: string[] = [], type?: string) =>
  source(async function* () {
    for (let n = 1; n <= upTo; n++) {
      log.push(`+${n}`);
      yield { value: n };
    }
    return { count: upTo };
  }, type);

/** Yields the next chunk only after a reader has read the previous one. */
export const lockstep = (upTo: number, log: string[]) =>
  source(async function* () {
    for (let n = 1; n <= upTo; n++) {
      yield { value: n };
      while (!log.some((line) => line.endsWith(`-${n}`))) await new Promise(setImmediate);
    }
  });

/** Returns the list of the chunks that it has read. */
export const collecting = (log: string[] = [], type?: string) =>
  sink(async (_inputs, { streams, nodeId }) => {
    const got: Json[] = [];
    for await (const chunk of streams.value!) {
      log.push(`${nodeId}-${Number(chunk)}`);
      got.push(chunk);
    }
    return { value: got };
  }, type);

/** Passes each chunk on, multiplied by ten. */
export const tenfold = (type = 'test:tenfold') =>
  nodeType(
    type,
    [],
    async function* (_inputs, { streams }) {
      for await (const chunk of streams.value!) yield { value: Number(chunk) * 10 };
    },
    { inputs: { value: STREAM }, outputs: { value: STREAM } },
  );

/** One node of each type. Its id is the part of the type after the colon. */
export const nodes = (...types: string[]) => types.map((type) => ({ id: type.split(':')[1]!, type }));
export const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

/** A connected source and sink. */
export const PAIR = workflow(nodes('test:source', 'test:sink'), ['source.value > sink.value', 'sink.value > out.v'], {
  outputs: ['v'],
});

/** The workflow with a streamed output of this name. */
export const streaming = (stored: StoredWorkflow, name: string): StoredWorkflow => ({
  ...stored,
  interfaceOutputs: { ...stored.interfaceOutputs, [name]: STREAM },
});
export const chunksOf = (events: EngineEvent[]) =>
  events.flatMap((event) => (event.event === 'output' ? [event.chunk] : []));

export const run = (stored: StoredWorkflow, types: NodeType[], more: Partial<RunOptions> = {}) =>
  runWorkflow(stored, {}, options(types, more));

/** A node group that runs this workflow. */
export function group(id: string, referencedWorkflowId: string) {
  return { id, type: 'core:NodeGroup', configValues: { referencedWorkflowId } };
}
