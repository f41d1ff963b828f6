import { isObject, own, sizeOf, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { containsTemplate, findTemplates, isTemplate, type FoundTemplate, type Template } from './find-templates.js';

/** The source of results. Both methods may wait, and reject with a ToolError if there is no result. */
export interface ResultLookup {
  /** The result of a step of the same submission, by its index (0-based). */
  step(index: number): Promise<Json> | Json;
  /** The result of another invocation of the same tenant. */
  job(id: string): Promise<Json> | Json;
}

/**
 * The most that the results in the arguments of one call may have together, in characters: more than the largest result of a script. Without a
 * bound, a few steps that each take the result before them many times would fill the memory.
 */
export const MAX_INSERTED = 10_000_000;

/** How much may still be inserted. */
interface Room {
  left: number;
}

/**
 * Replaces all templates in the arguments. A template that is the whole text becomes the value with its type; inside
 * other text it becomes text (a string as it is, else JSON). A template behind a backslash loses the backslash.
 * Inserted values are never searched for templates.
 * @throws ToolError ParameterValidationError for a path that does not exist, ResourceLimitError for more than MAX_INSERTED characters of results,
 *   and the errors of the lookup
 */
export function resolveTemplates(args: JsonObject, lookup: ResultLookup): Promise<JsonObject> {
  return resolveObject(args, lookup, { left: MAX_INSERTED });
}

/** The arguments as `resolveTemplates` returns them, or undefined if they contain a template. Nothing waits. */
export function plainArguments(args: JsonObject): JsonObject | undefined {
  const bag: JsonObject = Object.create(null);
  for (const [name, item] of Object.entries(args)) {
    if (containsTemplate(item)) return undefined;
    bag[name] = item;
  }
  return bag;
}

async function resolveValue(value: Json, lookup: ResultLookup, room: Room): Promise<Json> {
  if (!containsTemplate(value)) return value;
  if (typeof value === 'string') return resolveText(value, lookup, room);
  if (Array.isArray(value)) return Promise.all(value.map((item) => resolveValue(item, lookup, room)));
  return isObject(value) ? resolveObject(value, lookup, room) : value;
}

async function resolveObject(value: JsonObject, lookup: ResultLookup, room: Room): Promise<JsonObject> {
  const bag: JsonObject = Object.create(null);
  for (const [name, item] of Object.entries(value)) bag[name] = await resolveValue(item, lookup, room);
  return bag;
}

async function resolveText(text: string, lookup: ResultLookup, room: Room): Promise<Json> {
  const found = findTemplates(text);
  const values = await Promise.all(found.map(async (template) => take(await valueOf(template, lookup), room)));
  if (isTemplate(text) && values[0] !== undefined) return values[0];
  let resolved = '';
  let from = 0;
  for (const [index, { start, end }] of found.entries()) {
    const value = values[index] ?? null;
    resolved += text.slice(from, start) + (typeof value === 'string' ? value : JSON.stringify(value));
    from = end;
  }
  return resolved + text.slice(from);
}

/** Counts a value before it is inserted, and stops to count where it does not fit. */
function take(value: Json, room: Room): Json {
  room.left -= sizeOf(value, room.left);
  if (room.left >= 0) return value;
  const message = `The results that the templates of this call insert have more than ${MAX_INSERTED} characters. Take parts of them`;
  throw new ToolError('ResourceLimitError', message, { limit: 'inserted', inserted: MAX_INSERTED });
}

async function valueOf({ text, template }: FoundTemplate, lookup: ResultLookup): Promise<Json> {
  if ('literal' in template) return template.literal;
  if ('problem' in template) throw new ToolError('ParameterValidationError', `${text} ${template.problem}`);
  if ('steps' in template) return at(await lookup.step(template.steps - 1), template.path, text);
  const result = await lookup.job(template.job);
  // As for steps, `result` in a path is optional, unless the result itself has a property of that name.
  const namesResult = template.path[0] === 'result' && !(isObject(result) && Object.hasOwn(result, 'result'));
  return at(result, namesResult ? template.path.slice(1) : template.path, text);
}

function at(value: Json, path: readonly string[], template: string): Json {
  let current: Json | undefined = value;
  for (const segment of path) {
    current = Array.isArray(current)
      ? elementAt(current, segment)
      : isObject(current)
        ? own(current, segment)
        : undefined;
    if (current !== undefined) continue;
    throw new ToolError('ParameterValidationError', `${template} leads nowhere: the result has no '${segment}' there`);
  }
  return current;
}

function elementAt(list: readonly Json[], segment: string): Json | undefined {
  return /^\d+$/.test(segment) ? list[Number(segment)] : undefined;
}

/**
 * The arguments as the tool receives them, as far as known before a run: texts behind a backslash lose it, templates
 * stay.
 */
export function showLiterals<T extends Json>(value: T): T;
export function showLiterals(value: Json): Json {
  if (!containsTemplate(value)) return value;
  if (typeof value === 'string') return withoutBackslashes(value);
  if (Array.isArray(value)) return value.map(showLiterals);
  if (!isObject(value)) return value;
  const bag: JsonObject = Object.create(null);
  for (const [name, item] of Object.entries(value)) bag[name] = showLiterals(item);
  return bag;
}

function withoutBackslashes(text: string): string {
  let shown = '';
  let from = 0;
  for (const { start, end, template } of findTemplates(text)) {
    if (!('literal' in template)) continue;
    shown += text.slice(from, start) + template.literal;
    from = end;
  }
  return shown + text.slice(from);
}

/** The steps (0-based, each once) whose results the arguments need. They must end first. */
export function stepsReferredTo(args: JsonObject): number[] {
  return [...new Set(templatesIn(args).flatMap((template) => ('steps' in template ? [template.steps - 1] : [])))];
}

/** The invocations (each once) whose results the arguments need. */
export function jobsReferredTo(args: JsonObject): string[] {
  if (!containsTemplate(args)) return [];
  return [...new Set(templatesIn(args).flatMap((template) => ('job' in template ? [template.job] : [])))];
}

function templatesIn(value: Json): Template[] {
  if (typeof value === 'string')
    return findTemplates(value).flatMap(({ template }) => ('steps' in template || 'job' in template ? [template] : []));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(templatesIn) : [];
}
