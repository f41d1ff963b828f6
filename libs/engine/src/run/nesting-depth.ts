import { ToolError } from '@errand/contracts';
import type { RunScope } from './run-scope.js';

/** The limit ends workflows and tools that call each other without end. */
const MAX_DEPTH = 32;

/** Returns the nesting depth of a workflow or tool that a node calls. @throws NodeError if it is too deep */
export function nextDepth({ depth }: Pick<RunScope, 'depth'>, what: string): number {
  if (depth < MAX_DEPTH) return depth + 1;
  throw new ToolError('NodeError', `${what} would run nested more than ${MAX_DEPTH} levels deep`);
}
