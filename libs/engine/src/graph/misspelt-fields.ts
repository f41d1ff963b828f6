import { didYouMean, type Problem, type StoredWorkflow } from '@errand/contracts';

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
  return [
    ...misspeltIn(workflow, FIELDS.workflow, ''),
    ...workflow.nodes.flatMap((node, index) => [
      ...misspeltIn(node, FIELDS.node, `/nodes/${index}`),
      ...misspeltIn(node.retry ?? {}, FIELDS.retry, `/nodes/${index}/retry`),
      ...misspeltIn(node.retry?.backoff ?? {}, FIELDS.backoff, `/nodes/${index}/retry/backoff`),
    ]),
    ...workflow.edges.flatMap((edge, index) => misspeltIn(edge, FIELDS.edge, `/edges/${index}`)),
  ];
}

function misspeltIn(value: object, known: string[], path: string): Problem[] {
  return Object.keys(value).flatMap((field) => {
    if (known.includes(field) || EDITOR_FIELDS.has(field)) return [];
    const suggestion = didYouMean(field, known);
    return suggestion ? [{ path: `${path}/${field}`, message: `Unknown field '${field}'`, suggestion }] : [];
  });
}
