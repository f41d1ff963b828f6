import { type JsonObject, type JsonSchema, KnownError } from '@errand/contracts';
import { toolLookupOf, validateOutput } from '@errand/registry';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { mainFunction, type Entry } from './choose-entry.js';
import { nameOfScript, locateDraft, type DraftLocation } from './draft-location.js';
import { objectOf, type Parameter, type ScriptAnalysis, type Signature } from './script-analysis.js';
import { bunAdapter, pythonAdapter } from './write-adapter.js';

/** The input of a draft. */
interface DraftSource {
  script: string;
  analysis: ScriptAnalysis;
  entry: Entry;
  /** The id of the tool; by default it is made from names. */
  id?: string;
}

/** A tool file or the entry of a plugin manifest, and a script that calls the function if one is needed. */
export interface Draft {
  toolId: string;
  location: DraftLocation;
  /** The files to write, the tool file first. */
  files: { path: string; text: string }[];
  /** The entry for `plugin.yaml`. */
  declaration?: JsonObject;
  /** Hints for the person who edits the draft. */
  notes: string[];
}

const ID = /^[A-Za-z0-9_-]+:[A-Za-z0-9_][A-Za-z0-9_./-]*$/;

/**
 * Makes the draft of a tool that runs an unchanged script. A script that reads its input is the script of the tool. A
 * function is named as its entry point, or gets a small script that calls it.
 * @throws KnownError for an invalid id
 */
export function makeDraft({ script, analysis, entry, id }: DraftSource): Draft {
  const location = locateDraft(script);
  const name = nameOfTool(script, entry);
  const toolId = id ?? `${location.plugin?.name ?? 'my'}:${name}`;
  if (!ID.test(toolId)) throw new KnownError(`The id '${toolId}' must be namespace:name, such as my:${name}`);
  const notes = [...new Set(analysis.notes)];
  const language = extname(script) === '.py' ? 'python' : 'bun';
  const called = 'call' in entry ? entry.call : undefined;
  const byName = called !== undefined && isCalledByName(called, language, analysis.needsMaking);
  const adapter = called && !byName ? adapterOf({ script, analysis, called, toolId }, location, name) : undefined;
  const scriptFile = adapter ? basename(adapter.path) : basename(script);
  const texts = {
    displayName: titleOf(toolId),
    description: descriptionOf({ script, analysis, entry }, toolId, notes),
    version: '1.0.0',
  };
  const runs = {
    language,
    scriptPath: [location.folderInScripts, scriptFile].filter(Boolean).join('/'),
    ...(byName && { entryPoint: called.name }),
  };
  const { output } = called ?? analysis.prints ?? {};
  const shape = {
    parameters: parametersOf('call' in entry ? entry.call : entry.reads, notes),
    ...(output && { output: withoutFormats(output) }),
  };
  const files = adapter ? [adapter] : [];
  if (location.plugin) {
    const declaration = { id: toolId, ...texts, implementation: { type: 'script', ...runs }, ...shape };
    return { toolId, location, files, declaration, notes };
  }
  const path = join(location.toolsFolder, `${fileNameOf(toolId)}.tool.json`);
  const schema = schemaFrom(path);
  const tool = {
    ...(schema && { $schema: schema }),
    toolId,
    ...texts,
    handler: { type: 'external-script', ...runs },
    ...shape,
  };
  return { toolId, location, files: [{ path, text: `${JSON.stringify(tool, null, 2)}\n` }, ...files], notes };
}

/** The name of the function if it is specific, else that of the script, else that of the folder. */
function nameOfTool(script: string, entry: Entry): string {
  const saysNothing = (name: string) =>
    /^(?:main|run|execute|handler|handle|tool|default|index|__main__|scripts)$/.test(name);
  const names = ['call' in entry ? entry.call.name : 'main', nameOfScript(script), basename(dirname(resolve(script)))];
  const name = names.find((candidate) => !saysNothing(candidate)) ?? nameOfScript(script);
  const plain = name.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[.-]+|[.-]+$/g, '');
  return plain === '' ? 'tool' : plain;
}

function adapterOf(
  { script, analysis, called, toolId }: { script: string; analysis: ScriptAnalysis; called: Signature; toolId: string },
  { folder }: DraftLocation,
  name: string,
) {
  const ending = extname(script);
  const write = ending === '.py' ? pythonAdapter : bunAdapter;
  const text = write({ file: basename(script), toolId, signature: called, needsMaking: analysis.needsMaking });
  return { path: join(folder, `${name}.call${ending}`), text };
}

function descriptionOf({ analysis, entry, script }: DraftSource, toolId: string, notes: string[]): string {
  const name = nameOfScript(script);
  const words =
    'call' in entry
      ? entry.call.description || analysis.description
      : analysis.prints?.description || analysis.description || wordsOfFunction(analysis, name);
  if (words !== '') return words;
  notes.push('the description: the source has no comment for it');
  return `${titleOf(toolId)}. Describe here what it does, when to use it and what it returns.`;
}

/**
 * The description of a script that reads its input: that of the function with its name, or of the only function with
 * one.
 */
function wordsOfFunction({ functions }: ScriptAnalysis, scriptName: string): string {
  const described = functions.filter(({ description }) => description !== '');
  const chosen = mainFunction(described, scriptName) ?? (described.length === 1 ? described[0] : undefined);
  return chosen?.description ?? '';
}

/** A default that does not fit would keep the tool from loading. */
function parametersOf({ parameters, open }: { parameters: Parameter[]; open: boolean }, notes: string[]): JsonSchema {
  const fitting = parameters.map((parameter): Parameter => {
    const { default: fallback, ...schema } = parameter.schema;
    if (fallback === undefined || fits(schema, fallback)) return parameter;
    notes.push(`the default of ${parameter.name}: ${JSON.stringify(fallback)} does not fit its type`);
    return { ...parameter, schema };
  });
  const { additionalProperties, ...schema } = objectOf({ parameters: fitting, open });
  return additionalProperties === true ? { ...schema, additionalProperties } : schema;
}

function fits(schema: JsonSchema, value: JsonSchema[string]): boolean {
  const tool = toolLookupOf([{ toolId: 'x', parameters: {} }]).find('x')!;
  return validateOutput({ ...tool, output: schema }, value).length === 0;
}

/** Removes formats: Python writes dates without the time zone that a format requires. */
function withoutFormats(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'format' && typeof value === 'string' ? undefined : value,
    ),
  ) as JsonSchema;
}

function titleOf(toolId: string): string {
  const words = toolId
    .slice(toolId.indexOf(':') + 1)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_./-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function fileNameOf(toolId: string): string {
  return toolId.replace(/^my:/, '').replace(/[^A-Za-z0-9_.-]+/g, '-');
}

/** The path of the published schema for editors, if the library is in the folder of Errand. */
function schemaFrom(path: string): string | undefined {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const schema = join(at, 'docs/schemas/tool.schema.json');
    if (existsSync(schema)) return relative(dirname(path), schema).split(sep).join('/');
  }
  return undefined;
}

/**
 * Whether a tool can name the function (`entryPoint`): it takes plain JSON by the names of its parameters or as one
 * object, and returns plain JSON. Any other function needs a script that calls it.
 */
export function isCalledByName(signature: Signature, language: 'python' | 'bun', needsMaking: boolean): boolean {
  const { name, rest, isGenerator, isDefault } = signature;
  if (isGenerator || isDefault || needsMaking || rest !== undefined || !/^[A-Za-z_$][\w$]*$/.test(name)) return false;
  return language === 'python' ? signature.positions.length === 0 : hasPlainList(signature);
}

/**
 * At run time, the names of the parameters come from the text of a JavaScript function. This works only if defaults are
 * single words.
 */
function hasPlainList({ takesObject, parameters }: Signature): boolean {
  const isPlain = (fallback: unknown) => typeof fallback === 'number' || typeof fallback === 'boolean';
  return takesObject || parameters.every(({ required, schema }) => required || isPlain(schema.default));
}
