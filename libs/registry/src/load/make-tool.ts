import { createHash } from 'node:crypto';
import { canonicalJson, isObject, type Problem, type Tool } from '@errand/contracts';
import type { Declaration } from '../files/file-shapes.js';
import { faultsOfParameters, readSchema, schemaOfParameters } from './read-parameters.js';
import { unknownCapabilities, withCapabilities } from './required-capabilities.js';
import type { ResolvedImplementation } from './resolve-implementation.js';
import { validateArguments } from '../validate/check-arguments.js';
import { faultsOfOutput } from '../validate/validate-output.js';

const FIRST_VERSION = '1.0.0';

interface MadeTool {
  tool: Tool;
  /** All its problems, as JSON Pointers into the declaration. A tool with problems is not used. */
  problems: readonly Problem[];
}

/** The origin of a tool: its file name, default version and additional names, and whether it is made without checks. */
export interface MakeOptions {
  source: string;
  version?: string;
  aliases: string[];
  isTrusted: boolean;
}

const made = new WeakMap<object, { key: string; made: MadeTool }>();

/**
 * Makes a tool, or returns the one that was made from the same `written` declaration. Making a tool compiles its
 * schemas.
 */
export function makeToolOnce(
  written: object,
  declared: Declaration,
  resolved: ResolvedImplementation,
  options: MakeOptions,
): MadeTool {
  const key = JSON.stringify([resolved, options]);
  const known = made.get(written);
  if (known?.key === key) return known.made;
  const fresh = makeTool(declared, resolved, options);
  made.set(written, { key, made: fresh });
  return fresh;
}

function makeTool(
  declared: Declaration,
  { implementation, kind, parameters: derived, output: derivedOutput }: ResolvedImplementation,
  origin: MakeOptions,
): MadeTool {
  const { displayName, tags = [], aliases = [], deprecated, mcp } = declared;
  const version = declared.version ?? origin.version ?? FIRST_VERSION;
  const output = isObject(declared.output) ? readSchema(declared.output) : derivedOutput;
  const examples = (declared.examples ?? []).filter((example) => 'arguments' in example);
  const allAliases = [...new Set([...aliases, ...(mcp?.name === undefined ? [] : [mcp.name]), ...origin.aliases])];
  const definition = {
    toolId: declared.toolId,
    version,
    displayName: displayName ?? declared.toolId,
    description: declared.description,
    kind,
    parameters: schemaOfParameters(declared.parameters ?? derived),
    ...(output && { output }),
    ...(examples.length > 0 && { examples }),
    tags,
    ...(deprecated !== undefined && { deprecated }),
    ...(allAliases.length > 0 && { aliases: allAliases }),
    implementation,
    ...wishesOf(declared),
    source: origin.source,
  };
  const digest = createHash('sha256').update(canonicalJson(definition)).digest('hex');
  const tool: Tool = { ...definition, digest };
  return { tool, problems: origin.isTrusted ? [] : problemsOf(tool, declared) };
}

function problemsOf(tool: Tool, { securityContext }: Declaration): Problem[] {
  const faults = faultsOfParameters(tool.parameters);
  return [
    faultOfRunner(tool) ?? [],
    unknownCapabilities(securityContext),
    under('/parameters', faults),
    outputFaults(tool),
    faults.length > 0 ? [] : exampleFaults(tool),
  ].flat();
}

/** The requirements of a tool for its runs. */
function wishesOf({ runner, limits, reuse, retry, effects, securityContext, mcp }: Declaration) {
  return {
    ...(runner !== undefined && { runner }),
    ...(limits && { limits }),
    ...(reuse && { reuse }),
    ...(retry && { retry }),
    ...(effects && { effects }),
    ...(securityContext && { securityContext: withCapabilities(securityContext) }),
    ...(mcp && { mcp }),
  };
}

/** Refuses `runner` for tools without a script, because only scripts run on script-runners. */
function faultOfRunner({ runner, kind }: Tool): Problem | undefined {
  if (runner === undefined || kind === 'script') return undefined;
  const message = `'runner' selects where a script runs, but this tool has no script (its kind is ${kind}); remove it`;
  return { path: '/runner', message };
}

function outputFaults({ output }: Tool): Problem[] {
  return output ? under('/output', faultsOfOutput(output)) : [];
}

/** Checks the examples: a wrong example would teach a wrong call. */
function exampleFaults(tool: Tool): Problem[] {
  return (tool.examples ?? []).flatMap((example, index) =>
    under(`/examples/${index}/arguments`, validateArguments(tool, example.arguments).problems),
  );
}

function under(path: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: `${path}${problem.path}` }));
}
