import { ToolError } from '@errand/contracts';
import type { RunScope } from './run-scope.js';

/** Workflows and tools that call each other end somewhere, or here. */
const MAX_DEPTH = 32;

/** How deep inside others a workflow or tool is that a node calls. @throws NodeError where that is too deep */
export function nextDepth({ depth }: Pick<RunScope, 'depth'>, what: string): number {
  if (depth < MAX_DEPTH) return depth + 1;
  throw new ToolError('NodeError', `${what} would run more than ${MAX_DEPTH} deep inside others`);
}
