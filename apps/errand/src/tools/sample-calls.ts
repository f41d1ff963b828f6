import { canonicalJson, type Call, type JsonObject, type ToolInterface } from '@errand/contracts';
import { parse, writeAction, writeTam } from '@errand/protocol';
import { toolLookupOf } from '@errand/registry';
import { sampleArguments } from './sample-arguments.js';

/** A call of a tool in one protocol: a text to paste, or the reason why the call is impossible. */
export interface SampleCall {
  protocol: 'ACTION' | 'TAM' | 'JSON';
  text?: string;
  /** The difference to the same call in JSON. */
  remark?: string;
  fault?: string;
}

/**
 * A call of the tool in each protocol. Text calls are parsed again before they are shown, so that a pasted call is always understood.
 * If a protocol cannot express the name of the tool, an alias is used.
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

/** The first notation that is parsed to the same arguments; else one that is parsed without an error, with a remark. */
function inText(tool: ToolInterface, args: JsonObject, write: Write): Written {
  const names = [tool.toolId, ...(tool.aliases ?? [])];
  const ways: Written[] = names.flatMap((name) =>
    [args, withJson(args)].map((given) =>
      inOneWay(tool, args, name, () => write([{ toolId: name, arguments: given }])),
    ),
  );
  return (
    ways.find(({ text, remark }) => text !== undefined && remark === undefined) ??
    ways.find(({ text }) => text !== undefined) ??
    ways[0] ??
    {}
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
    if (call?.toolId !== name) return { fault: errors[0]?.message ?? `'${name}' cannot be called in text` };
    const meant = tools.validate(tools.find(name)!, args).arguments;
    const different = Object.keys(meant).filter(
      (key) => canonicalJson(call.arguments[key]) !== canonicalJson(meant[key]),
    );
    return {
      text,
      ...(different.length > 0 && {
        remark: `The schema does not say the types in ${different.join(', ')}: in this protocol the values are text`,
      }),
    };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** Writes lists and objects as JSON text. In tags, numbers become text if the schema does not give their type. */
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
