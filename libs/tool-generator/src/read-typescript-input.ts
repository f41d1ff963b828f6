import { isObject, type JsonSchema } from '@errand/contracts';
import { takeProperty } from './typescript-parameters.js';
import type { Arguments, Parameter, Signature } from './script-analysis.js';
import { betweenCommas, type SourceNode } from './source-node.js';
import type { TypeScriptTypes } from './typescript-types.js';

const READS =
  /\bBun\s*\.\s*stdin\b|\bprocess\s*\.\s*stdin\b|\breadFileSync\(\s*(?:0|["']\/dev\/stdin["'])|\bconsole\.stream\b|\bfor await \(const \w+ of console\)/;

/**
 * The arguments of a script that reads its standard input; undefined if it does not. They come from the type of the
 * variable or parameter that gets the input, else from the names that the script reads.
 */
export function readsOfTypeScript(
  root: SourceNode,
  functions: ReadonlyMap<string, Signature>,
  types: TypeScriptTypes,
): Arguments | undefined {
  const code = withoutComments(root);
  if (!READS.test(code)) return undefined;
  const texts = new Set<string>();
  const names = new Set<string>();
  const found = new Map<string, Parameter>();
  for (const declaration of root.below('VariableDeclaration')) {
    const [, target, ...more] = declaration.children();
    const value = more.find(({ kind }) => kind === 'Equals')?.next();
    if (!target || !value || !isInput(value, texts)) continue;
    const annotation = more.find(({ kind }) => kind === 'TypeAnnotation')?.children()[1] ?? castOf(value);
    if (target.kind === 'ObjectPattern')
      for (const property of target.all('PatternProperty')) takeProperty(property, found);
    else (isParsed(value) ? names : texts).add(target.text);
    const declared = annotation ? argumentsOf(types.of(annotation)) : undefined;
    if (declared) return declared;
  }
  for (const call of root.below('CallExpression')) {
    const called = functions.get(call.firstText);
    const [first, ...more] = called ? betweenCommas(call.child('ArgList')) : [];
    const isWhole = called?.takesObject && first && more.length === 0;
    if (isWhole && (names.has(first[0].text) || isInput(first[0], texts))) return called;
  }
  for (const use of root.below('MemberExpression')) {
    const [target, , property] = use.children();
    if (target && names.has(target.text) && property?.kind === 'PropertyName' && !found.has(property.text))
      found.set(property.text, { name: property.text, required: use.next()?.text !== '??', schema: {} });
  }
  return { parameters: [...found.values()], open: true };
}

function withoutComments(root: SourceNode): string {
  return [...root.below('LineComment', 'BlockComment')].reduce((code, { text }) => code.replace(text, ''), root.text);
}

/** Whether a value is the standard input, as text or parsed. */
function isInput(value: SourceNode, texts: ReadonlySet<string>): boolean {
  if (READS.test(value.text)) return true;
  const parsed = /\bJSON\.parse\(\s*(?:await\s+)?(\w+)/.exec(value.text)?.[1];
  return parsed !== undefined && texts.has(parsed);
}

function isParsed({ text }: SourceNode): boolean {
  return /\.json\(\)|JSON\.parse\(/.test(text);
}

/** The type in `value as Type` and `value satisfies Type`. */
function castOf(value: SourceNode): SourceNode | undefined {
  const cast = value.kind === 'BinaryExpression' ? value : [...value.below('BinaryExpression')][0];
  return cast && (cast.child('as') ?? cast.child('satisfies')) ? cast.children().at(-1) : undefined;
}

function argumentsOf({ properties, required = [], additionalProperties }: JsonSchema): Arguments | undefined {
  if (!isObject(properties)) return undefined;
  const parameters = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: schema as JsonSchema,
    required: (required as string[]).includes(name),
  }));
  return { parameters, open: additionalProperties !== undefined && additionalProperties !== false };
}
