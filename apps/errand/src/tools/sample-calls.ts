import { canonicalJson, type Call, type JsonObject, type ToolInterface } from '@errand/contracts';
import { parse, writeAction, writeTam } from '@errand/protocol';
import { toolLookupOf } from '@errand/registry';
import { sampleArguments } from './sample-arguments.js';

/** How a tool is called in one protocol: ready to paste, or why it can't be. */
export interface SampleCall {
  protocol: 'ACTION' | 'TAM' | 'JSON';
  text?: string;
  /** What comes of it otherwise than in JSON. */
  remark?: string;
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

type Written = Omit<SampleCall, 'protocol'>;
type Write = (calls: Call[]) => string;

/** The first way of writing that is read as it was meant; else one that is read without an error, and what is different then. */
function inText(tool: ToolInterface, args: JsonObject, write: Write): Written {
  const names = [tool.toolId, ...(tool.aliases ?? [])];
  const ways = names.flatMap((name) =>
    [args, withJson(args)].map((given) =>
      inOneWay(tool, args, name, () => write([{ toolId: name, arguments: given }])),
    ),
  );
  return (
    ways.find(({ text, remark }) => text !== undefined && remark === undefined) ??
    ways.find(({ text }) => text !== undefined) ??
    ways[0]!
  );
}

function inOneWay(
  { description, parameters }: ToolInterface,
  args: JsonObject,
  name: string,
  write: () => string,
): Written {
  try {
    const text = write();
    const tools = toolLookupOf([{ toolId: name, description, parameters }]);
    const { calls, errors } = parse(text, { tools });
    const [call] = calls;
    if (call?.toolId !== name) return { fault: errors[0]?.message ?? `'${name}' can't be called in text` };
    const meant = tools.validate(tools.find(name)!, args).arguments;
    const different = Object.keys(meant).filter(
      (key) => canonicalJson(call.arguments[key]) !== canonicalJson(meant[key]),
    );
    return {
      text,
      ...(different.length > 0 && {
        remark: `The schema does not say what is in ${different.join(', ')}: here it comes as text`,
      }),
    };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** Lists and objects as JSON text: where the schema does not say what is in them, tags would make text of numbers. */
function withJson(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : value]),
  );
}

function inShell({ toolId }: ToolInterface, args: JsonObject, api: string): string {
  const body = JSON.stringify({ toolId, arguments: args }).replaceAll("'", String.raw`'\''`);
  return [
    `curl -s ${api}/v1/invocations \\`,
    "  -H 'content-type: application/json' -H 'prefer: wait=20' \\",
    `  -d '${body}'`,
  ].join('\n');
}
