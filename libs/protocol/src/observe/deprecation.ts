import type { ToolInterface } from '@errand/contracts';

/** What to say to whoever calls a tool that they had better not; undefined for any other. */
export function deprecationOf({
  toolId,
  deprecated,
}: Pick<ToolInterface, 'toolId' | 'deprecated'>): string | undefined {
  if (deprecated === undefined || deprecated === false) return undefined;
  return `Tool ${toolId} is deprecated${typeof deprecated === 'string' ? `: ${deprecated.trim()}` : ''}`;
}
