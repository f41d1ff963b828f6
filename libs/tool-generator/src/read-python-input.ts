import type { JsonSchema } from '@errand/contracts';
import type { PythonTypes } from './python-types.js';
import { stringOf, valueOf } from './python-values.js';
import type { Doc } from './read-doc.js';
import {
  describe,
  typeOfValue,
  withDefault,
  type Arguments,
  type Parameter,
  type Signature,
} from './script-analysis.js';
import { betweenCommas, type SourceNode } from './source-node.js';

const READS = /\bsys\.stdin\b|\bfileinput\b|(?<![\w.])input\(|(?<![\w.])open\(\s*(?:0|["']\/dev\/stdin["'])/;
const PARSED = /^(?:\w+\.)?loads?\(/;

type Functions = ReadonlyMap<string, Signature>;

/**
 * The arguments of a script that reads its standard input; undefined if it does not. They come from the signature of
 * the function that gets the input, else from the keys that the script reads: `data["text"]`, `data.get("top", 5)`.
 */
export function readsOfPython(
  root: SourceNode,
  functions: Functions,
  types: PythonTypes,
  doc: Doc,
): Arguments | undefined {
  const code = withoutText(root);
  if (!READS.test(code)) return undefined;
  const names = inputNames(root);
  for (const call of root.below('CallExpression')) {
    const name = call.firstText;
    const signature = functions.get(name);
    const [first, ...more] = signature || types.declares(name) ? betweenCommas(call.child('ArgList')) : [];
    if (!first || more.length > 0) continue;
    const isSpread = first[0].kind === '**' && isInput(first[1], names);
    if (signature && isSpread) return signature;
    if (!isSpread && (first.length > 1 || !isInput(first[0], names))) continue;
    const whole = isSpread ? types.ofText(name) : signature?.parameters[0]?.schema;
    if (whole?.type === 'object' && whole.properties) return argumentsOf(whole);
    if (signature?.parameters[0]) names.add(signature.parameters[0].name);
  }
  return { parameters: keysIn(root, names, functions, types, doc), open: true };
}

/** The source with blanks in place of strings and comments, because they do not read anything. */
function withoutText(root: SourceNode): string {
  let code = root.text;
  const offset = root.node.from;
  for (const { node, kind } of root.below('String', 'Comment', 'FormatString')) {
    if (kind === 'String' && /^["']\/dev\/stdin["']$/.test(code.slice(node.from - offset, node.to - offset))) continue;
    code = code.slice(0, node.from - offset) + ' '.repeat(node.to - node.from) + code.slice(node.to - offset);
  }
  return code;
}

/** The variables that hold the parsed input. */
function inputNames(root: SourceNode): Set<string> {
  const names = new Set<string>();
  for (const statement of root.below('AssignStatement')) {
    const [name] = statement.children();
    if (name?.kind === 'VariableName' && isInput(statement.children().at(-1), names)) names.add(name.text);
  }
  return names;
}

function isInput(value: SourceNode | undefined, names: ReadonlySet<string>): boolean {
  if (value?.kind === 'VariableName') return names.has(value.text);
  return value?.kind === 'CallExpression' && PARSED.test(value.text);
}

function argumentsOf({ properties, required = [], additionalProperties }: JsonSchema): Arguments {
  const parameters = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    schema,
    required: (required as string[]).includes(name),
  }));
  return { parameters, open: additionalProperties !== false };
}

function keysIn(
  root: SourceNode,
  names: ReadonlySet<string>,
  functions: Functions,
  types: PythonTypes,
  doc: Doc,
): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const use of root.below('MemberExpression', 'CallExpression')) {
    const read = readKey(use, names);
    if (!read || found.get(read.name)?.required) continue;
    const words = doc.parameters.get(read.name);
    const declared = {
      ...typeOfUse(use, functions, types),
      ...(words?.type !== undefined && types.ofText(words.type)),
    };
    const { fallback } = read;
    const isGuess = fallback !== undefined && fallback !== null && Object.keys(declared).length === 0;
    const schema: JsonSchema = isGuess ? { type: typeOfValue(fallback) } : declared;
    found.set(read.name, {
      name: read.name,
      required: read.required,
      schema: describe(withDefault(schema, read.fallback), words?.description),
    });
  }
  return [...found.values()];
}

/** Reads the key of `data["text"]` or `data.get("top", 5)`. */
function readKey(use: SourceNode, names: ReadonlySet<string>) {
  const [target, list] = use.children();
  if (!target) return undefined;
  if (use.kind === 'MemberExpression') {
    const key = use.child('[') && use.child('String');
    const isRead = key && names.has(target.text) && use.next()?.kind !== 'AssignOp';
    const name = isRead ? stringOf(key) : undefined;
    return name === undefined ? undefined : { name, required: true, fallback: undefined };
  }
  const [variable, , method] = target.children();
  if (!variable || !names.has(variable.text) || method?.text !== 'get') return undefined;
  const [key, fallback] = betweenCommas(list);
  const name = key && stringOf(key[0]);
  return name === undefined ? undefined : { name, required: false, fallback: valueOf(fallback?.[0]) };
}

/** The type of the variable or the parameter that gets a value. */
function typeOfUse(use: SourceNode, functions: Functions, types: PythonTypes): JsonSchema {
  const around = use.parent();
  if (around?.kind === 'AssignStatement') {
    const hint = around.child('TypeDef')?.children()[1];
    return hint ? types.of(hint) : {};
  }
  const call = around?.kind === 'ArgList' ? around.parent() : undefined;
  const called = call && functions.get(call.firstText);
  if (!called) return {};
  const index = betweenCommas(around).findIndex((part) => part.some(({ node }) => node.from === use.node.from));
  const [first] = betweenCommas(around)[index] ?? [];
  const isNamed = first?.next()?.kind === 'AssignOp';
  const parameter = isNamed ? called.parameters.find(({ name }) => name === first.text) : called.parameters[index];
  const { default: _default, ...schema } = parameter?.schema ?? {};
  return schema;
}
