export { checkWorkflow } from './check-workflow.js';
export { drawGraph, type DrawnEdge, type DrawnNode, type Drawing } from './draw-graph.js';
export { Journal, MemoryJournal, type Journaled } from './journal.js';
export { Parked } from './parked.js';
export type { CallOrigin, EngineEvent, RunOptions } from './run-options.js';
export { runWorkflow } from './run-workflow.js';
export { resultOf, workflowOfNode } from './workflow-of-node.js';
export { writeMermaid } from './write-mermaid.js';
