import { isObject, type Json, type JsonSchema } from '@errand/contracts';
import { describeType } from '@errand/protocol';
import { colour, escapeControls } from '../terminal.js';
import type { FoundTool } from './tool-catalogue.js';
import { wrap } from './fit-text.js';
import type { SampleCall } from './sample-calls.js';

/** Describes a tool with its parameters, examples and sample calls, in lines of at most `width` cells. */
export function renderTool(tool: FoundTool, calls: readonly SampleCall[], width: number): string[] {
  return [
    `${colour.bold(escapeControls(tool.toolId))} ${tool.version}  ${colour.dim(factsOf(tool))}`,
    ...deprecationOf(tool),
    ...indent(wrap(escapeControls(tool.description), width - 2)),
    ...section('Parameters', parametersOf(tool.parameters, width)),
    ...section('Result', indent([describeType(tool.output, tool.output ?? {})])),
    ...section('Examples', examplesOf(tool)),
    ...calls.flatMap((call) => section(`Call it with ${call.protocol}`, callOf(call, width - 2))),
  ];
}

function callOf({ text, remark, fault }: SampleCall, width: number): string[] {
  if (text === undefined) return indent(wrap(`Not possible: ${escapeControls(fault ?? '')}`, width));
  return [escapeControls(text), ...indent(wrap(remark ?? '', width)).map(colour.dim)];
}

function factsOf({ kind, runner, versions, tags, source }: FoundTool): string {
  return [
    kind,
    ...(runner === undefined ? [] : [`runs where '${escapeControls(runner)}' is offered`]),
    ...(versions.length > 1 ? [`versions ${versions.join(', ')}`] : []),
    ...(tags.length > 0 ? [`tags ${tags.join(', ')}`] : []),
    ...(source === undefined ? [] : [`defined in ${source}`]),
  ].join(' · ');
}

function deprecationOf({ deprecated }: FoundTool): string[] {
  if (!deprecated) return [];
  return [
    `  ${colour.yellow(typeof deprecated === 'string' ? `Deprecated: ${escapeControls(deprecated)}` : 'Deprecated')}`,
  ];
}

function parametersOf(parameters: JsonSchema, width: number): string[] {
  const properties = isObject(parameters.properties) ? Object.entries(parameters.properties) : [];
  const required = Array.isArray(parameters.required) ? parameters.required : [];
  const { additionalProperties: others } = parameters;
  const line = (name: string, schema: Json, isRequired: boolean) => {
    const { description, ...facts } = isObject(schema) ? schema : {};
    const words = typeof description === 'string' ? escapeControls(description) : '';
    return [
      `  ${colour.cyan(name)}  ${describeType(schema, parameters)}${factsOfParameter(facts, isRequired)}`,
      ...wrap(words, width - 6).map((text) => colour.dim(`      ${text}`)),
    ];
  };
  const lines = [
    ...properties.flatMap(([name, schema]) => line(escapeControls(name), schema, required.includes(name))),
    ...(others === true || isObject(others) ? line('any other name', others, false) : []),
  ];
  return lines.length > 0 ? lines : ['  none'];
}

function factsOfParameter(schema: JsonSchema, isRequired: boolean): string {
  const { enum: allowed, default: fallback, minimum, maximum } = schema;
  return [
    ...(isRequired ? [', required'] : []),
    ...(Array.isArray(allowed) ? [`, one of ${allowed.map(json).join(' ')}`] : []),
    ...(minimum === undefined ? [] : [`, from ${json(minimum)}`]),
    ...(maximum === undefined ? [] : [`, to ${json(maximum)}`]),
    ...(fallback === undefined ? [] : [`, default ${json(fallback)}`]),
  ].join('');
}

function examplesOf({ examples = [] }: FoundTool): string[] {
  return examples.flatMap(({ description, arguments: args }) => [
    ...(description === undefined ? [] : [`  ${escapeControls(description)}`]),
    `  ${colour.dim(json(args))}`,
  ]);
}

function section(title: string, lines: string[]): string[] {
  return lines.length > 0 ? ['', colour.bold(title), ...lines] : [];
}

const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
const json = (value: Json) => escapeControls(JSON.stringify(value));
