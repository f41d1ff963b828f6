import type { Problem, StoredWorkflow } from '@errand/contracts';
import { RepeatedNames } from './suggestions.js';

/**
 * The fields that Errand reads. Other fields belong to the editor and are ignored, unless they look like a misspelt one
 * of these.
 */
const FIELDS = {
  workflow: ['id', 'name', 'description', 'nodes', 'edges', 'interfaceInputs', 'interfaceOutputs'],
  node: [
    'id',
    'type',
    'inputValues',
    'configValues',
    'inputConnectionOrders',
    'bypassed',
    'muted',
    'timeoutMs',
    'retry',
    'onError',
    'defaultOutputs',
    'referencedWorkflowId',
  ],
  edge: ['id', 'source', 'sourceHandle', 'target', 'targetHandle'],
  retry: ['attempts', 'backoff'],
  backoff: ['type', 'delayMs'],
};

/** Fields that only editors read. */
const EDITOR_FIELDS = new Set(
  `viewport version tags createdAt updatedAt referencedWorkflows previewTarget displayName customDescription
   customSlotDescriptions position size width height label data title notes zIndex color style selected hidden
   sourceType targetType animated markerEnd`.split(/\s+/),
);

/** Returns a problem for each field that looks like a misspelt one. */
export function misspeltFields(workflow: StoredWorkflow): Problem[] {
  const names = new RepeatedNames();
  const misspeltIn = (value: object, kind: keyof typeof FIELDS, path: string): Problem[] =>
    Object.keys(value).flatMap((field) => {
      if (FIELDS[kind].includes(field) || EDITOR_FIELDS.has(field)) return [];
      const suggestion = names.nearest(field, kind, FIELDS[kind]);
      return suggestion ? [{ path: `${path}/${field}`, message: `Unknown field '${field}'`, suggestion }] : [];
    });
  return [
    ...misspeltIn(workflow, 'workflow', ''),
    ...workflow.nodes.flatMap((node, index) => [
      ...misspeltIn(node, 'node', `/nodes/${index}`),
      ...misspeltIn(node.retry ?? {}, 'retry', `/nodes/${index}/retry`),
      ...misspeltIn(node.retry?.backoff ?? {}, 'backoff', `/nodes/${index}/retry/backoff`),
    ]),
    ...workflow.edges.flatMap((edge, index) => misspeltIn(edge, 'edge', `/edges/${index}`)),
  ];
}
