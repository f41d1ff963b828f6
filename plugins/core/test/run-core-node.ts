import { own, type Json, type JsonObject } from '@errand/contracts';
import { NodeThreads, packComputation, resultOf, runWorkflow, workflowOfNode, type RunOptions } from '@errand/engine';
import { PATIENCE_MS } from '../../../test/support/eventually.js';
import { nodes } from '../nodes/index.js';

export const nodeTypes = new Map(nodes.map((node) => [node.type, node]));

const callTool = async (toolId: string, args: JsonObject) => ({ toolId, args });

const compute: RunOptions['compute'] = (computation, signal) =>
  threads.run(packComputation(computation), { key: 'test', signal });

/** The time limit of an endless computation whose test only needs its end, in ms. */
export const SHORT_MS = 60;

/** Gives computations as long as a busy machine needs. Only for tests of large inputs. */
export const PATIENT_COMPUTATIONS: Partial<RunOptions> = {
  compute: (computation, signal) => compute({ ...computation, timeoutMs: PATIENCE_MS }, signal),
};

/** Ends computations after a short time. Only for tests of endless computations: a busy machine delays the others longer. */
export const SHORT_COMPUTATIONS: Partial<RunOptions> = {
  compute: (computation, signal) => compute({ ...computation, timeoutMs: SHORT_MS }, signal),
};

const threads = new NodeThreads(2);
afterAll(() => threads.close());

export function optionsFor(more: Partial<RunOptions> = {}): RunOptions {
  return { nodeTypes, workflows: new Map(), invocationId: 'inv_test', callTool, compute, ...more };
}

/** Runs a core node like a tool. */
export async function runCoreNode(type: string, args: JsonObject, more: Partial<RunOptions> = {}): Promise<Json> {
  const node = own(Object.fromEntries(nodeTypes), type)!;
  return resultOf(await runWorkflow(workflowOfNode(node, args), {}, optionsFor(more)));
}

/** Runs a core node whose result is a text. @throws TypeError for other results */
export async function textFromNode(type: string, args: JsonObject): Promise<string> {
  const result = await runCoreNode(type, args);
  if (typeof result === 'string') return result;
  throw new TypeError(`${type} did not return a text but ${JSON.stringify(result)}`);
}
