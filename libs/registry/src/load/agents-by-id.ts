import { didYouMean, type Tool } from '@errand/contracts';
import type { AgentProfile } from '../files/agent-profile.js';
import type { LocatedValue } from '../files/library-files.js';
import type { ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';

/** The agents by id. A second agent with the same id is refused. */
export function agentsById(
  written: readonly LocatedValue<AgentProfile>[],
  report: ReportProblem,
): Map<string, LocatedValue<AgentProfile>> {
  const known = new Map<string, LocatedValue<AgentProfile>>();
  for (const agent of written) {
    const { value, source } = agent;
    const first = known.get(value.id);
    const message = `The agent '${value.id}' is defined in ${first?.source.file} already`;
    if (first) report(locateProblem(source, { path: '/id', message }));
    else known.set(value.id, agent);
  }
  return known;
}

/**
 * Reports each tool id in an inventory that names no tool. The agent keeps the others.
 * @param mayExist whether an id can belong to a tool that is not known yet
 */
export function reportUnknownInventory(
  { value, source }: LocatedValue<AgentProfile>,
  tools: ReadonlyMap<string, readonly Tool[]>,
  report: ReportProblem,
  mayExist: (toolId: string) => boolean = () => false,
): void {
  value.tool_ids_inventory.forEach((id, index) => {
    // An entry of a partial file may have any type.
    if (typeof id !== 'string' || id.includes('*') || tools.has(id) || mayExist(id)) return;
    const suggestion = meantTool(id, tools);
    const problem = { path: `/tool_ids_inventory/${index}`, message: `There is no tool '${id}'` };
    report(locateProblem(source, suggestion === undefined ? problem : { ...problem, suggestion }));
  });
}

/** Suggests the id for a wrong entry of an inventory, which may have neither aliases nor versions. */
function meantTool(id: string, tools: ReadonlyMap<string, readonly Tool[]>): string | undefined {
  const [base = ''] = id.split('@', 1);
  const known = [...tools.values()]
    .flat()
    .find(({ toolId, aliases = [] }) => toolId === base || aliases.includes(base));
  return known?.toolId ?? didYouMean(id, tools.keys());
}
