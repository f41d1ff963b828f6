import {
  DEFAULT_AGENT_LIMITS,
  digestOf,
  ToolError,
  type AgentDefinition,
  type Definition,
  type InventoryTool,
  type Tool,
  type ToolInterface,
} from '@errand/contracts';
import type { Library } from '../load/library.js';
import type { DefinedTool } from './defined-tool.js';
import { RecentValues } from './recent-values.js';
import { workflowsFrom } from './workflows-from.js';

const AGENTS = 1_000;

/** The tools that an agent sees. Their scripts may change without a change of the library. */
interface Inventory {
  tools: readonly Tool[];
  scripts: readonly Tool[];
}

interface AgentSources {
  library: Library;
  /** The tools that an agent sees, sorted by id. */
  inventoryOf: (agentId: string) => readonly Tool[];
  define: (tool: Tool) => Promise<DefinedTool>;
}

/** Makes the definitions of agents. A definition is made again only if a script of the inventory has changed. */
export class AgentDefiner {
  private readonly inventories = new Map<string, Inventory>();
  private readonly made = new RecentValues<DefinedTool>(AGENTS);

  constructor(private readonly sources: AgentSources) {}

  /** The cost is that of looking at the scripts of the inventory. */
  async define(tool: Tool, agentId: string): Promise<DefinedTool> {
    const inventory = this.inventoryOf(agentId);
    const scripts = await this.defineAll(inventory.scripts);
    const state = inventory.scripts.map((script) => scripts.get(script)?.digest ?? '').join(' ');
    return this.made.get(tool.digest, state, () => this.make(tool, agentId, inventory, scripts));
  }

  private inventoryOf(agentId: string): Inventory {
    let inventory = this.inventories.get(agentId);
    if (!inventory) {
      const tools = this.sources.inventoryOf(agentId);
      inventory = { tools, scripts: tools.filter(({ implementation }) => implementation.type === 'script') };
      this.inventories.set(agentId, inventory);
    }
    return inventory;
  }

  private async make(
    tool: Tool,
    agentId: string,
    { tools }: Inventory,
    scripts: ReadonlyMap<Tool, DefinedTool>,
  ): Promise<DefinedTool> {
    const others = await this.defineAll(tools.filter((each) => !isScript(each) && !isAgent(each)));
    const defined = new Map([...scripts, ...others]);
    const pinned = tools.flatMap((each): InventoryTool[] => {
      if (isAgent(each)) return [{ tool: interfaceOf(each) }];
      const digest = defined.get(each)?.digest;
      return digest === undefined ? [] : [{ tool: interfaceOf(each), digest }];
    });
    const workflowId = this.sources.library.deliberations.get(agentId) ?? '';
    const definition: Definition = {
      tool,
      workflows: workflowsFrom(workflowId, this.sources.library),
      agent: agentOf(this.sources.library, { agentId, workflowId, tools: pinned }),
    };
    return { digest: digestOf(definition), definition, inventory: [...defined.values()] };
  }

  /** The definitions of these tools. A tool whose files cannot be packed is left out: nobody can call it. */
  private async defineAll(tools: readonly Tool[]): Promise<Map<Tool, DefinedTool>> {
    const defined = await Promise.all(
      tools.map((tool) =>
        this.sources.define(tool).catch((error: unknown) => {
          if (error instanceof ToolError) return undefined;
          throw error;
        }),
      ),
    );
    return new Map(
      tools.flatMap((tool, index) => {
        const found = defined[index];
        return found ? [[tool, found] as const] : [];
      }),
    );
  }
}

function agentOf(
  { agents }: Library,
  { agentId, ...pinned }: Pick<AgentDefinition, 'agentId' | 'workflowId' | 'tools'>,
): AgentDefinition {
  const profile = agents.get(agentId);
  const { displayName, instructions = '', protocol = 'action', limits, output, backgroundTools = [] } = profile ?? {};
  const { privateState, worldState } = profile ?? {};
  return {
    agentId,
    ...(displayName !== undefined && { displayName }),
    instructions,
    protocol,
    limits: { ...DEFAULT_AGENT_LIMITS, ...limits },
    ...(output && { output }),
    ...(privateState && { privateState }),
    ...(worldState && { worldState }),
    backgroundTools,
    ...pinned,
  };
}

function interfaceOf(tool: Tool): ToolInterface {
  const { toolId, version, displayName, description, kind, parameters, output, examples, tags } = tool;
  const { deprecated, aliases } = tool;
  return {
    toolId,
    version,
    displayName,
    description,
    kind,
    parameters,
    ...(output && { output }),
    ...(examples && { examples }),
    tags,
    ...(deprecated !== undefined && { deprecated }),
    ...(aliases && { aliases }),
  };
}

function isScript({ implementation }: Tool): boolean {
  return implementation.type === 'script';
}

function isAgent({ implementation }: Tool): boolean {
  return implementation.type === 'agent';
}
