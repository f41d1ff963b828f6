import { DEFAULT_AGENT_LIMITS, didYouMean, type Problem } from '@errand/contracts';
import type { AgentProfile } from '../files/agent-profile.js';
import type { Declaration } from '../files/file-shapes.js';
import { escapeKey } from '../files/json-pointer.js';
import type { LocatedValue, WorkflowFile } from '../files/library-files.js';
import type { ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import { nameInLibrary } from './add-tools.js';
import { AgentWorkflows } from './agent-workflow.js';
import type { Origin, ToolCollector } from './tool-collector.js';
import { TURN_PARAMETERS } from './turn-parameters.js';

type Agent = LocatedValue<AgentProfile>;

/** Every limit by its name. The default of `maxTokens` is no limit. */
const LIMIT_NAMES = [...Object.keys(DEFAULT_AGENT_LIMITS), 'maxTokens'];

/** The ids that are also valid names of tools, as those of workflows. */
const TOOL_NAME = /^[^\s!-/:-@[-^`{-~][^\s!-,:-@[-^`{-~]*$/;
const MAX_ID = 128;

const EXAMPLE = { description: 'A question', arguments: { message: 'What can you do?' } };

interface AgentSources {
  folders: readonly string[];
  workflows: ReadonlyMap<string, WorkflowFile>;
}

/**
 * Makes the tool `agent:<id>` of each agent with a deliberation workflow. An agent with a problem in the fields of its
 * turns has no such tool, and keeps its inventory.
 * @returns the id of the deliberation workflow of each agent that has a tool
 */
export function addAgentTools(
  collector: ToolCollector,
  agents: ReadonlyMap<string, Agent>,
  { folders, workflows }: AgentSources,
): Map<string, string> {
  const known = new AgentWorkflows(workflows);
  const workflowIds = new Map<string, string>();
  for (const [id, agent] of agents) {
    const found = known.find(agent);
    if (found === undefined) continue;
    const problems = [...faultsOfAgent(agent.value), ...(typeof found === 'string' ? [] : [found])];
    const origin = originOf(agent, folders);
    for (const problem of problems) collector.refuse(origin, problem);
    if (problems.length > 0 || typeof found !== 'string') continue;
    const kind = 'agent' as const;
    const implementation = { type: kind, agentId: id };
    collector.add(declarationOf(agent.value), { implementation, kind, parameters: TURN_PARAMETERS }, origin);
    // The tool is refused if the schema of the answer is wrong.
    if (collector.all().has(`agent:${id}`)) workflowIds.set(id, found);
  }
  return workflowIds;
}

/** Reports the same problems for partial files, which define nothing. */
export function reportPartialAgents(partials: readonly Agent[], sources: AgentSources, report: ReportProblem): void {
  const known = new AgentWorkflows(sources.workflows);
  for (const agent of partials) {
    const found = known.find(agent);
    const problems = found === undefined ? [] : faultsOfAgent(agent.value);
    for (const problem of [...problems, ...(typeof found === 'object' ? [found] : [])])
      report(locateProblem(agent.source, problem));
  }
}

function originOf({ value, source }: Agent, folders: readonly string[]): Origin {
  const fields = { id: '/id', implementation: '/core_deliberation_workflow_id' };
  return { written: value, source, at: '', fields, name: nameInLibrary(source.file, folders) };
}

function declarationOf({ id, displayName = id, description, version, output }: AgentProfile): Declaration {
  return {
    toolId: `agent:${id}`,
    displayName,
    description: description ?? `Asks the agent ${displayName} and returns its answer.`,
    ...(version !== undefined && { version }),
    output: output ?? { type: 'string' },
    examples: [EXAMPLE],
  };
}

function faultsOfAgent({ id, limits = {} }: AgentProfile): Problem[] {
  const unknown = Object.keys(limits).filter((name) => !LIMIT_NAMES.includes(name));
  const faults = unknown.map((name): Problem => {
    const suggestion = didYouMean(name, LIMIT_NAMES);
    const message = `Unknown limit '${name}'; the limits are ${LIMIT_NAMES.join(', ')}`;
    return { path: `/limits/${escapeKey(name)}`, message, ...(suggestion !== undefined && { suggestion }) };
  });
  if (TOOL_NAME.test(id) && id.length <= MAX_ID) return faults;
  const message = `The id '${id}' cannot be part of the tool id agent:<id>; use at most ${MAX_ID} letters, digits, '_', '-', '.' and '/'`;
  return [...faults, { path: '/id', message }];
}
