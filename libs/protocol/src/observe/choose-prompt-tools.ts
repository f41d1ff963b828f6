import type { AgentProtocol, ClientTool, ToolInterface } from '@errand/contracts';
import { aliasOf } from './alias-of.js';
import { renderPrompt } from './render-prompt.js';
import { toToolDefinitions } from './tool-definitions.js';

/** The tool that finds other tools. It stays in a prompt that leaves tools out. */
export const SEARCH_TOOLS = 'tools:search';

export interface PromptToolsRequest {
  /** The tools of the agent, sorted by id. */
  tools: readonly ToolInterface[];
  /** The tools of the caller. All of them are in the prompt, and each hides a tool of the agent with its name. */
  clientTools?: readonly ClientTool[];
  protocol: AgentProtocol;
  /** The most tools that the prompt describes. */
  promptTools: number;
  /** The ids of the tools that the session has used or found, newest last. They come before all others. */
  used: readonly string[];
  /** The ids of the tools that fit the newest message, best first. It is called only if tools are left out. */
  rank: () => readonly string[];
}

export interface PromptTools {
  /** The text for a system prompt. For `native` it is empty, unless tools are left out. */
  toolsPrompt: string;
  /** OpenAI's definitions for `native`, otherwise empty. */
  tools: Record<string, unknown>[];
  /** The number of tools that are left out. */
  left: number;
}

/** Chooses the tools for the prompt of a round, and writes it in the protocol of the agent. */
export function choosePromptTools(request: PromptToolsRequest): PromptTools {
  const { tools, clientTools = [], protocol, promptTools } = request;
  const visible = tools.filter((tool) => !isHidden(tool, clientTools));
  const room = Math.max(0, promptTools - clientTools.length);
  const chosen = visible.length <= room ? visible : chooseTools(visible, room, request);
  const left = visible.length - chosen.length;
  const note = left === 0 ? '' : noteOf(left, chosen);
  if (protocol === 'native')
    return { toolsPrompt: note, tools: [...toToolDefinitions(chosen, 'openai'), ...clientTools.map(asFunction)], left };
  const text = renderPrompt({ tools: [...chosen, ...clientTools.map(asInterface)], format: protocol });
  return { toolsPrompt: note === '' ? text : `${text}\n\n${note}`, tools: [], left };
}

/** The tools to show, in their given order: the same choice gives the same text. */
function chooseTools(
  tools: readonly ToolInterface[],
  room: number,
  { used, rank }: PromptToolsRequest,
): readonly ToolInterface[] {
  const known = new Set(tools.map(({ toolId }) => toolId));
  const chosen = new Set<string>();
  for (const ids of [[SEARCH_TOOLS], used.toReversed(), rank(), known]) {
    for (const id of ids) {
      if (chosen.size >= room) break;
      if (known.has(id)) chosen.add(id);
    }
  }
  return tools.filter(({ toolId }) => chosen.has(toolId));
}

function noteOf(left: number, chosen: readonly ToolInterface[]): string {
  const more = left === 1 ? '1 more tool is not listed here' : `${left} more tools are not listed here`;
  const canSearch = chosen.some(({ toolId }) => toolId === SEARCH_TOOLS);
  return canSearch ? `(${more}; ${SEARCH_TOOLS} finds them.)` : `(${more}.)`;
}

/** Whether a client tool takes the place of a tool, under its id or under its name in the definitions of an API. */
function isHidden({ toolId, aliases = [] }: ToolInterface, clientTools: readonly ClientTool[]): boolean {
  return clientTools.some(({ name }) => name === toolId || name === aliasOf(toolId) || aliases.includes(name));
}

function asInterface({ name, description = '', parameters = {} }: ClientTool): ToolInterface {
  return {
    toolId: name,
    version: '1.0.0',
    displayName: name,
    description,
    kind: 'external',
    parameters: { ...parameters, type: 'object' },
    tags: [],
  };
}

/** The model sees a client tool under exactly its name. */
function asFunction({ name, description = '', parameters = {} }: ClientTool): Record<string, unknown> {
  return {
    type: 'function',
    function: { name, description, parameters: { properties: {}, ...parameters, type: 'object' } },
  };
}
