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
import { betweenCommas, linesNotRead, SourceNode } from './source-node.js';

/** Reads a Python script without running it: its functions with their types and docstrings, and what it reads from standard input. */
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
  const docs = definitions.map((definition) => readDoc(docOfBody(definition.child('Body')) ?? ''));
  const functions = definitions.map((definition, index) => signatureOf(definition, docs[index]!, types));
  const reads = readsOfPython(
    root,
    new Map(definitions.map((piece, index) => [functions[index]!.name, { piece, signature: functions[index]! }])),
    types,
    doc,
  );
  const prints = reads && printedFunction(root, new Map(functions.map((signature) => [signature.name, signature])));
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
  const name = definition.child('VariableName')!.text;
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
  return /\byield\b/.test(body?.text ?? '') && [...body!.below('YieldExpression', 'YieldStatement')].length > 0;
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
    if (mark!.kind === '**') open = true;
    else if (mark!.text === '*') {
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

/** How many parameters stand before a bare `/`: the grammar has no node for it, so it is what stands between a comma and the next mark. */
function countBeforeSlash(list: SourceNode | undefined): number {
  const marks = list?.children() ?? [];
  const slash = marks.findIndex((mark, at) => mark.kind === ',' && /^,\s*\/\s*$/.test(mark.textUpTo(marks[at + 1])));
  return slash === -1 ? 0 : marks.slice(0, slash + 1).filter(({ kind }) => kind === ',').length;
}

function parameterOf(part: readonly SourceNode[], doc: Doc, types: PythonTypes): Parameter {
  const name = part[0]!.text;
  const words = doc.parameters.get(name);
  const operator = part.findIndex(({ kind }) => kind === 'AssignOp');
  const given = operator === -1 ? undefined : part[operator + 1];
  const isTyped = part.some(({ kind }) => kind === 'TypeDef');
  const fallback = isTyped ? types.valueOf(given) : valueOf(given);
  const told = typeOf(part, types, words?.type);
  const guessed = Object.keys(told).length === 0 && fallback !== undefined && fallback !== null;
  const schema: JsonSchema = guessed ? { type: typeOfValue(fallback) } : told;
  return {
    name,
    required: operator === -1,
    schema: describe(withDefault(schema, fallback), words?.description ?? (schema.description as string | undefined)),
  };
}

function typeOf(part: readonly SourceNode[], types: PythonTypes, inWords?: string): JsonSchema {
  const hint = part.find(({ kind }) => kind === 'TypeDef')?.children()[1];
  return hint ? types.of(hint) : inWords === undefined ? {} : types.ofText(inWords);
}
