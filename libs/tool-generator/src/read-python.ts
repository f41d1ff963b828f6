import type { JsonSchema } from '@errand/contracts';
import { parser } from '@lezer/python';
import { decoratorsOf, docOfBody } from './python-declarations.js';
import { PythonTypes } from './python-types.js';
import { valueOf } from './python-values.js';
import { printedFunction } from './printed-function.js';
import { readDoc, withWords, wordsOf, type Doc } from './read-doc.js';
import {
  describe,
  typeOfValue,
  withDefault,
  type Parameter,
  type ScriptAnalysis,
  type Signature,
} from './script-analysis.js';
import { readsOfPython } from './read-python-input.js';
import { betweenCommas, type ListElement, linesNotRead, SourceNode } from './source-node.js';

/** Reads a Python script without running it: its functions with types and docstrings, and its standard input. */
export function readPython(source: string): ScriptAnalysis {
  const root = new SourceNode(parser.parse(source).topNode, source);
  const types = new PythonTypes(root);
  const doc = readDoc(docOfBody(root) ?? '');
  const definitions = root
    .children()
    .map((statement) => (statement.kind === 'DecoratedStatement' ? statement.child('FunctionDefinition') : statement))
    .filter(
      (statement): statement is SourceNode =>
        statement?.kind === 'FunctionDefinition' && statement.child('VariableName') !== undefined,
    );
  const documented = definitions.map((node) => ({ node, doc: readDoc(docOfBody(node.child('Body')) ?? '') }));
  const docs = documented.map((each) => each.doc);
  const functions = documented.map((each) => signatureOf(each.node, each.doc, types));
  const byName = new Map(functions.map((signature) => [signature.name, signature]));
  const reads = readsOfPython(root, byName, types, doc);
  const prints = reads && printedFunction(root, byName);
  return {
    description: wordsOf(doc),
    functions,
    ...(reads && { reads: { ...reads, parameters: withWords(reads.parameters, [doc, ...docs]) } }),
    ...(prints && { prints }),
    usesCommandLine: /^\s*(?:import|from)\s+(?:argparse|click|typer|fire|docopt|optparse)\b|\bsys\.argv\b/m.test(
      source,
    ),
    needsMaking: types.needsMaking,
    notes: [...types.notes, ...linesNotRead(root).map((line) => `line ${line} could not be read`)],
  };
}

function signatureOf(definition: SourceNode, doc: Doc, types: PythonTypes): Signature {
  const name = definition.child('VariableName')?.text ?? '';
  const body = definition.child('Body');
  const returns = definition.child('TypeDef')?.children().at(-1);
  const output = returns ? types.of(returns) : doc.returns?.type !== undefined ? types.ofText(doc.returns.type) : {};
  return {
    name,
    description: wordsOf(doc),
    ...parametersOf(definition.child('ParamList'), doc, types),
    ...(Object.keys(output).length > 0 && !isGenerator(body) && { output }),
    takesObject: false,
    exported: !name.startsWith('_') && !/@(?:\w+\.)?(?:fixture|overload)\b/.test(decoratorsOf(definition)),
    isAsync: definition.child('async') !== undefined,
    isGenerator: isGenerator(body),
  };
}

function isGenerator(body: SourceNode | undefined): boolean {
  return /\byield\b/.test(body?.text ?? '') && [...(body?.below('YieldExpression', 'YieldStatement') ?? [])].length > 0;
}

function parametersOf(
  list: SourceNode | undefined,
  doc: Doc,
  types: PythonTypes,
): Pick<Signature, 'parameters' | 'open' | 'positions' | 'rest'> {
  const parameters: Parameter[] = [];
  let positions: string[] = [];
  let rest: string | undefined;
  let open = false;
  for (const part of betweenCommas(list)) {
    const [mark] = part;
    if (mark.kind === '**') open = true;
    else if (mark.text === '*') {
      if (!part[1]) continue;
      rest = part[1].text;
      positions = parameters.map(({ name }) => name);
      const items = typeOf(part, types);
      parameters.push({
        name: rest,
        required: false,
        schema: describe({ type: 'array', items }, doc.parameters.get(rest)?.description),
      });
    } else parameters.push(parameterOf(part, doc, types));
  }
  if (rest === undefined) positions = parameters.slice(0, countBeforeSlash(list)).map(({ name }) => name);
  return { parameters, open, positions, ...(rest !== undefined && { rest }) };
}

/**
 * The number of parameters before a bare `/`. The grammar has no node for it: it is the text between a comma and the
 * next mark.
 */
function countBeforeSlash(list: SourceNode | undefined): number {
  const marks = list?.children() ?? [];
  const slash = marks.findIndex((mark, at) => mark.kind === ',' && /^,\s*\/\s*$/.test(mark.textUpTo(marks[at + 1])));
  return slash === -1 ? 0 : marks.slice(0, slash + 1).filter(({ kind }) => kind === ',').length;
}

function parameterOf(part: ListElement, doc: Doc, types: PythonTypes): Parameter {
  const name = part[0].text;
  const words = doc.parameters.get(name);
  const operator = part.findIndex(({ kind }) => kind === 'AssignOp');
  const given = operator === -1 ? undefined : part[operator + 1];
  const isTyped = part.some(({ kind }) => kind === 'TypeDef');
  const fallback = isTyped ? types.valueOf(given) : valueOf(given);
  const declared = typeOf(part, types, words?.type);
  const guessed = Object.keys(declared).length === 0 && fallback !== undefined && fallback !== null;
  const schema: JsonSchema = guessed ? { type: typeOfValue(fallback) } : declared;
  return {
    name,
    required: operator === -1,
    schema: describe(withDefault(schema, fallback), words?.description ?? (schema.description as string | undefined)),
  };
}

function typeOf(part: ListElement, types: PythonTypes, inWords?: string): JsonSchema {
  const hint = part.find(({ kind }) => kind === 'TypeDef')?.children()[1];
  return hint ? types.of(hint) : inWords === undefined ? {} : types.ofText(inWords);
}
