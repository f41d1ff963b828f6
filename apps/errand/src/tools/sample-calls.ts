import { canonicalJson, type JsonObject, type ToolInterface } from '@errand/contracts';
import { parse, writeAction, writeTam } from '@errand/protocol';
import { toolBookOf } from '@errand/registry';
import { sampleArguments } from './sample-arguments.js';

/** How a tool is called in one protocol: ready to paste, or why it can't be. */
export interface SampleCall {
  protocol: 'ACTION' | 'TAM' | 'JSON';
  text?: string;
  fault?: string;
}

/**
 * A call of the tool in each protocol. Those in text are read again before they are shown: what is pasted is understood. A name that
 * can't stand in a protocol gives way to an alias that can.
 */
export function sampleCalls(tool: ToolInterface, api: string): SampleCall[] {
  const args = sampleArguments(tool);
  return [
    { protocol: 'ACTION', ...inText(tool, args, writeAction) },
    { protocol: 'TAM', ...inText(tool, args, writeTam) },
    { protocol: 'JSON', text: inShell(tool, args, api) },
  ];
}

function inText(
  tool: ToolInterface,
  args: JsonObject,
  write: typeof writeAction,
): { text: string } | { fault: string } {
  let fault = '';
  for (const name of [tool.toolId, ...(tool.aliases ?? [])]) {
    try {
      const text = write([{ toolId: name, arguments: args }]);
      const told = misread(text, tool, name, args);
      if (told === undefined) return { text };
      fault ||= told;
    } catch (error) {
      fault ||= (error as Error).message;
    }
  }
  return { fault };
}

/** How a text is not understood as the call that it was made of, if it is not. */
function misread(text: string, { description, parameters }: ToolInterface, name: string, args: JsonObject) {
  const tools = toolBookOf([{ toolId: name, description, parameters }]);
  const { calls, errors } = parse(text, { tools });
  if (errors.length > 0) return errors[0]!.message;
  const [call] = calls;
  const { arguments: filled } = tools.validate(tools.find(name)!, args);
  const isSame = call?.toolId === name && canonicalJson(call.arguments) === canonicalJson(filled);
  return isSame ? undefined : 'These arguments can only be given as JSON';
}

function inShell({ toolId }: ToolInterface, args: JsonObject, api: string): string {
  const body = JSON.stringify({ toolId, arguments: args }).replaceAll("'", String.raw`'\''`);
  return [
    `curl -s ${api}/v1/invocations \\`,
    "  -H 'content-type: application/json' -H 'prefer: wait=20' \\",
    `  -d '${body}'`,
  ].join('\n');
}
