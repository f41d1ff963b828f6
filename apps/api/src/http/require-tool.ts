import type { Tool } from '@errand/contracts';
import type { Registry, View } from '@errand/registry';
import { ProblemError } from './problem-error.js';

/** The tool of that name, if the agent may see it. @throws ProblemError `not_found` with the nearest known name */
export function requireTool(registry: Registry, id: string, view: View): Tool {
  const tool = registry.find(id, view);
  if (tool) return tool;
  const suggestion = registry.suggest(id, view);
  const message = `Unknown tool '${id.slice(0, 200)}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`;
  throw new ProblemError('not_found', message, {
    errors: [{ path: '/id', message, ...(suggestion && { suggestion }) }],
  });
}
