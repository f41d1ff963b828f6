import { isObject, type Problem } from '@errand/contracts';

/**
 * The largest parts of a workflow that a preview checks. The check runs in the event loop of the API, and its time grows with them. Files of
 * the library have no such limits: they belong to the operator.
 */
const MOST = { nodes: 5_000, edges: 10_000, interfaceInputs: 500, interfaceOutputs: 500 };
/** The most edge ids in the `inputConnectionOrders` of all nodes. */
const MOST_ORDERED = 10_000;

/** The limits that a workflow of any shape exceeds, as JSON Pointers into it. */
export function excessOf(workflow: unknown): Problem[] {
  if (!isObject(workflow)) return [];
  const problems = Object.entries(MOST).flatMap(([name, most]) => {
    const size = sizeOf(workflow[name]);
    const message = `A preview checks at most ${most} ${name}, not ${size}; move some nodes into a workflow of their own`;
    return size > most ? [{ path: `/${name}`, message }] : [];
  });
  const ordered = Array.isArray(workflow.nodes) ? workflow.nodes.reduce((sum, node) => sum + orderedIn(node), 0) : 0;
  const message = `A preview checks at most ${MOST_ORDERED} edge ids in inputConnectionOrders, not ${ordered}; leave out those of other edges`;
  return ordered > MOST_ORDERED ? [...problems, { path: '/nodes', message }] : problems;
}

function sizeOf(part: unknown): number {
  if (Array.isArray(part)) return part.length;
  return isObject(part) ? Object.keys(part).length : 0;
}

function orderedIn(node: unknown): number {
  const orders = isObject(node) && isObject(node.inputConnectionOrders) ? node.inputConnectionOrders : {};
  return Object.values(orders).reduce<number>((sum, order) => sum + sizeOf(order), 0);
}
