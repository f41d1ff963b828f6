import { type JsonObject, type JsonSchema, KnownError } from '@errand/contracts';
import { toolLookupOf, validateOutput } from '@errand/registry';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { isCalledByName } from './called-by-name.js';
import { mainFunction, type Entry } from './choose-entry.js';
import { nameOfScript, locateDraft, type DraftLocation } from './draft-location.js';
import { objectOf, type Parameter, type ScriptAnalysis, type Signature } from './script-analysis.js';
import { bunAdapter, pythonAdapter } from './write-adapter.js';

/** What a draft is made of. */
export interface DraftSource {
  script: string;
  reading: ScriptAnalysis;
  entry: Entry;
  /** The tool's id; made from names where it is not given. */
  id?: string;
}

/** A tool file, or the entry of a plugin's manifest, and the script that calls a function where one is needed. */
export interface Draft {
  toolId: string;
  place: DraftLocation;
  /** To be written, the tool file first. */
  files: { path: string; text: string }[];
  /** For `plugin.yaml`. */
  declaration?: JsonObject;
  /** What a person should look at. */
  notes: string[];
}

const ID = /^[A-Za-z0-9_-]+:[A-Za-z0-9_][A-Za-z0-9_./-]*$/;

/**
 * The draft of a tool, so that the script runs through it as it stands: a script that reads its input is the tool's script, a function
 * is named as its entry point, or gets a small script of its own that calls it where that does not do.
 * @throws KnownError for an id that is none
 */
export function makeDraft({ script, reading, entry, id }: DraftSource): Draft {
  const place = locateDraft(script);
  const name = nameOfTool(script, entry);
  const toolId = id ?? `${place.plugin?.name ?? 'my'}:${name}`;
  if (!ID.test(toolId)) throw new KnownError(`The id '${toolId}' must be namespace:name, such as my:${name}`);
  const notes = [...new Set(reading.notes)];
  const language = extname(script) === '.py' ? 'python' : 'bun';
  const called = 'call' in entry ? entry.call : undefined;
  const byName = called !== undefined && isCalledByName(called, language, reading.needsMaking);
  const adapter = called && !byName ? adapterOf({ script, reading, called, toolId }, place, name) : undefined;
  const scriptFile = adapter ? basename(adapter.path) : basename(script);
  const said = {
    displayName: titleOf(toolId),
    description: descriptionOf({ script, reading, entry }, toolId, notes),
    version: '1.0.0',
  };
  const runs = {
    language,
    scriptPath: [place.folderInScripts, scriptFile].filter(Boolean).join('/'),
    ...(byName && { entryPoint: called.name }),
  };
  const { output } = called ?? reading.prints ?? {};
  const shape = {
    parameters: parametersOf('call' in entry ? entry.call : entry.reads, notes),
    ...(output && { output: withoutFormats(output) }),
  };
  const files = adapter ? [adapter] : [];
  if (place.plugin) {
    const declaration = { id: toolId, ...said, implementation: { type: 'script', ...runs }, ...shape };
    return { toolId, place, files, declaration, notes };
  }
  const path = join(place.toolsFolder!, `${fileNameOf(toolId)}.tool.json`);
  const schema = schemaFrom(path);
  const tool = {
    ...(schema && { $schema: schema }),
    toolId,
    ...said,
    handler: { type: 'external-script', ...runs },
    ...shape,
  };
  return { toolId, place, files: [{ path, text: `${JSON.stringify(tool, null, 2)}\n` }, ...files], notes };
}

/** The function's name where it tells something, else the script's, else the folder's. */
function nameOfTool(script: string, entry: Entry): string {
  const saysNothing = (name: string) =>
    /^(?:main|run|execute|handler|handle|tool|default|index|__main__|scripts)$/.test(name);
  const names = ['call' in entry ? entry.call.name : 'main', nameOfScript(script), basename(dirname(resolve(script)))];
  const name = names.find((candidate) => !saysNothing(candidate)) ?? nameOfScript(script);
  const plain = name.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[.-]+|[.-]+$/g, '');
  return plain === '' ? 'tool' : plain;
}

function adapterOf(
  { script, reading, called, toolId }: { script: string; reading: ScriptAnalysis; called: Signature; toolId: string },
  { folder }: DraftLocation,
  name: string,
) {
  const ending = extname(script);
  const write = ending === '.py' ? pythonAdapter : bunAdapter;
  const text = write({ file: basename(script), toolId, signature: called, needsMaking: reading.needsMaking });
  return { path: join(folder, `${name}.call${ending}`), text };
}

function descriptionOf({ reading, entry, script }: DraftSource, toolId: string, notes: string[]): string {
  const name = nameOfScript(script);
  const words =
    'call' in entry
      ? entry.call.description || reading.description
      : reading.prints?.description || reading.description || wordsOfFunction(reading, name);
  if (words !== '') return words;
  notes.push('the description: the source has no words for it');
  return `${titleOf(toolId)}. Say here what it does, when to use it and what it gives.`;
}

/** Of a script that reads its input itself: the words of the function that is its tool by its name, or the only one that has words. */
function wordsOfFunction({ functions }: ScriptAnalysis, scriptName: string): string {
  const told = functions.filter(({ description }) => description !== '');
  const chosen = mainFunction(told, scriptName) ?? (told.length === 1 ? told[0] : undefined);
  return chosen?.description ?? '';
}

/** A default that does not fit would keep the tool from loading. */
function parametersOf({ parameters, open }: { parameters: Parameter[]; open: boolean }, notes: string[]): JsonSchema {
  const fitting = parameters.map((parameter): Parameter => {
    const { default: fallback, ...schema } = parameter.schema;
    if (fallback === undefined || fits(schema, fallback)) return parameter;
    notes.push(`the default of ${parameter.name}: ${JSON.stringify(fallback)} is not of its type`);
    return { ...parameter, schema };
  });
  const { additionalProperties, ...schema } = objectOf({ parameters: fitting, open });
  return additionalProperties === true ? { ...schema, additionalProperties } : schema;
}

function fits(schema: JsonSchema, value: JsonSchema[string]): boolean {
  const tool = toolLookupOf([{ toolId: 'x', parameters: {} }]).find('x')!;
  return validateOutput({ ...tool, output: schema }, value).length === 0;
}

/** Dates and the like come back as Python writes them, which may lack the time zone that a format asks for. */
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

/** The published schema, for editors, where the library lies in the folder of Errand itself. */
function schemaFrom(path: string): string | undefined {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const schema = join(at, 'docs/schemas/tool.schema.json');
    if (existsSync(schema)) return relative(dirname(path), schema).split(sep).join('/');
  }
  return undefined;
}
