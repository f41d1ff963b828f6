import type { ToolInterface } from '@errand/contracts';

/** Returns the warning for a deprecated tool, or undefined. */
export function deprecationOf({
  toolId,
  deprecated,
}: Pick<ToolInterface, 'toolId' | 'deprecated'>): string | undefined {
  if (deprecated === undefined || deprecated === false) return undefined;
  return `Tool ${toolId} is deprecated${typeof deprecated === 'string' ? `: ${deprecated.trim()}` : ''}`;
}
