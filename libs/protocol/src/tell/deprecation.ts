import type { PlacedWarning, ToolInterface } from '@errand/contracts';

/** A warning that the model is told of, too: what it called will go away. */
export interface Deprecation extends PlacedWarning {
  kind: 'deprecated';
}

/** What to say to whoever calls a tool that they had better not; undefined for any other. */
export function deprecationOf({
  toolId,
  deprecated,
}: Pick<ToolInterface, 'toolId' | 'deprecated'>): string | undefined {
  if (deprecated === undefined || deprecated === false) return undefined;
  return `Tool ${toolId} is deprecated${typeof deprecated === 'string' ? `: ${deprecated.trim()}` : ''}`;
}

/** What the warnings say of deprecated tools, each thing once. */
export function deprecationsIn(warnings: readonly PlacedWarning[] = []): string[] {
  return [...new Set(warnings.filter(isDeprecation).map(({ message }) => message))];
}

function isDeprecation(warning: PlacedWarning): warning is Deprecation {
  return 'kind' in warning && warning.kind === 'deprecated';
}
