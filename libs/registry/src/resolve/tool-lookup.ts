import type { Json, ToolLookup, ToolInterface } from '@errand/contracts';
import { readParameters } from '../load/read-parameters.js';
import { suggestTool } from './resolve-name.js';
import { validateArguments } from '../validate/check-arguments.js';

/** A tool that a caller describes for one dry run. */
export interface AdHocTool {
  toolId: string;
  description?: string;
  parameters?: Json;
}

/** A lookup of temporary tools. Their schemas are compiled at the first use, and a wrong schema is reported then. */
export function toolLookupOf(tools: readonly AdHocTool[]): ToolLookup {
  const byId = new Map(tools.map((tool) => [tool.toolId, tool]));
  const read = new Map<string, ToolInterface>();
  return {
    find(name) {
      const tool = byId.get(name);
      const found = tool && (read.get(name) ?? interfaceOf(tool));
      if (found) read.set(name, found);
      return found;
    },
    suggest: (name) => suggestTool(name, [...byId.keys()]),
    validate: (tool, args) => validateArguments(tool, args),
  };
}

function interfaceOf({ toolId, description = '', parameters }: AdHocTool): ToolInterface {
  const { schema } = readParameters(parameters);
  return { toolId, version: '0.0.0', displayName: toolId, description, kind: 'external', parameters: schema, tags: [] };
}
