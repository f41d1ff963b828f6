import {
  isObject,
  type AgentDefinition,
  type ClientTool,
  type Definition,
  type InventoryTool,
  type JsonObject,
  type Problem,
  type ToolInterface,
  type ToolLookup,
} from '@errand/contracts';
import { ToolNames, validateArguments } from '@errand/registry';

/** The names of the tools of an inventory. Turns with the same definition share them. */
const NAMES = new WeakMap<AgentDefinition, ToolNames<ToolInterface>>();

/** The `source` of a tool of the caller, whose schemas are not trusted. */
export const CLIENT_SOURCE = 'client';

/** The most suggestions for unknown names, because each one compares all names. */
const MAX_GUESSES = 20;

/** The tools of one turn: the inventory as it was accepted, and the tools of the caller, which hide others of the same name. */
export class TurnTools implements ToolLookup {
  private readonly clients: ReadonlyMap<string, ToolInterface>;
  private readonly names: ToolNames<ToolInterface>;
  private guesses = 0;

  constructor(
    private readonly agent: AgentDefinition,
    clientTools: readonly ClientTool[],
  ) {
    this.clients = new Map(clientTools.map((tool) => [tool.name, clientInterface(tool)]));
    this.names = NAMES.get(agent) ?? namesOf(agent.tools);
    NAMES.set(agent, this.names);
  }

  find(name: string): ToolInterface | undefined {
    return this.clients.get(name) ?? this.names.find(name);
  }

  suggest(name: string): string | undefined {
    if (this.guesses++ >= MAX_GUESSES) return undefined;
    const near = [...this.clients.keys()].find((own) => own.toLowerCase() === name.toLowerCase());
    return near ?? this.names.suggest(name, (toolId) => !this.clients.has(toolId));
  }

  validate(tool: ToolInterface, args: JsonObject): { arguments: JsonObject; problems: Problem[] } {
    return validateArguments(tool, args);
  }

  /** The tools of the caller, and those of the inventory that they do not hide. */
  all(): { inventory: ToolInterface[]; clients: ToolInterface[] } {
    const inventory = this.agent.tools.flatMap(({ tool }) => (this.clients.has(tool.toolId) ? [] : [tool]));
    return { inventory, clients: [...this.clients.values()] };
  }

  isClient(name: string): boolean {
    return this.clients.has(name);
  }

  /** The definition of a tool of the caller: an external tool. Undefined for a tool of the inventory. */
  clientDefinition(name: string): Definition | undefined {
    const tool = this.clients.get(name);
    if (!tool) return undefined;
    return { tool: { ...tool, implementation: { type: 'external' }, source: CLIENT_SOURCE, digest: '' } };
  }

  /** The tool of the inventory with the digest of its definition. */
  inventoryTool(toolId: string): InventoryTool | undefined {
    return this.agent.tools.find(({ tool }) => tool.toolId === toolId);
  }
}

function namesOf(tools: readonly InventoryTool[]): ToolNames<ToolInterface> {
  return new ToolNames(new Map(tools.map(({ tool }) => [tool.toolId, [tool]])));
}

function clientInterface({ name, description = '', parameters, output }: ClientTool): ToolInterface {
  return {
    toolId: name,
    version: '0.0.0',
    displayName: name,
    description,
    kind: 'external',
    parameters: isObject(parameters) ? { type: 'object', ...parameters } : { type: 'object' },
    ...(output && { output }),
    tags: [],
  };
}
