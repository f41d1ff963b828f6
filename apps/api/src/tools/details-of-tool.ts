import type { Tool, ToolDetails } from '@errand/contracts';
import type { Registry } from '@errand/registry';

/** What `details=true` adds to a tool. What its file does not declare is null. */
export function toolDetails(tool: Tool, registry: Registry): ToolDetails {
  const { limits, effects, reuse, retry, runner, securityContext, digest, implementation } = tool;
  const node = implementation.type === 'node' ? registry.nodeTypes.get(implementation.nodeType) : undefined;
  return {
    limits: limits ?? null,
    effects: effects ?? node?.effects ?? null,
    reuse: reuse ?? null,
    retry: retry ?? null,
    runner: runner ?? null,
    securityContext: securityContext ?? null,
    digest,
  };
}
