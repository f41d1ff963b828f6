import { printedFunction } from './printed-function.js';
import { readDoc, withWords, wordsOf, type Doc } from './read-doc.js';
import type { ScriptAnalysis, Signature } from './script-analysis.js';
import { readsOfTypeScript } from './read-typescript-input.js';
import { linesNotRead, SourceNode } from './source-node.js';
import { parametersOf } from './typescript-parameters.js';
import { docBefore, parser, TypeScriptTypes, withoutStars } from './typescript-types.js';

/**
 * Reads a TypeScript or JavaScript script without running it: its functions with types and comments, and its standard
 * input.
 */
export function readTypeScript(source: string): ScriptAnalysis {
  const root = new SourceNode(parser.parse(source).topNode, source);
  const types = new TypeScriptTypes(root);
  const functions = root.children().flatMap((statement) => functionsOf(statement, source, types));
  const byName = new Map(functions.map((signature) => [signature.name, signature]));
  const reads = readsOfTypeScript(root, byName, types);
  const comments = root.children().map((statement) => docBefore(statement) ?? '');
  const docs = [commentOfFile(root), ...comments].map(readDoc);
  const prints = reads && printedFunction(root, byName);
  return {
    description: wordsOf(readDoc(commentOfFile(root))),
    functions,
    ...(reads && { reads: { ...reads, parameters: withWords(reads.parameters, docs) } }),
    ...(prints && { prints }),
    usesCommandLine: /\bprocess\.argv\b|\bBun\.argv\b/.test(source),
    needsMaking: false,
    notes: [...types.notes, ...linesNotRead(root).map((line) => `line ${line} could not be read`)],
  };
}

/** The first comment of the file, unless it belongs to the statement after it. */
function commentOfFile(root: SourceNode): string {
  const comment = root.children().find(({ kind }) => !/^(?:Hashbang|LineComment)$/.test(kind));
  if (comment?.kind !== 'BlockComment' || !comment.text.startsWith('/**')) return '';
  return withoutStars(comment.text);
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunction'];

/** The functions that a statement declares: by name, as a variable, or as `exports.name = …`. */
function functionsOf(statement: SourceNode, source: string, types: TypeScriptTypes): Signature[] {
  const isExport = statement.kind === 'ExportDeclaration';
  const exported = { direct: isExport, isDefault: statement.child('default') !== undefined };
  const declaration = isExport ? statement.child('VariableDeclaration', ...FUNCTIONS) : statement;
  const doc = readDoc(docBefore(statement) ?? '');
  const found = (name: string, definition: SourceNode | undefined) =>
    definition && FUNCTIONS.includes(definition.kind)
      ? [signatureOf(name, definition, doc, exported, source, types)]
      : [];
  switch (declaration?.kind) {
    case 'VariableDeclaration':
      return declaration.all('VariableDefinition').flatMap((name) => found(name.text, valueOf(name)));
    case 'ExpressionStatement': {
      const [target, , value] = declaration.child('AssignmentExpression')?.children() ?? [];
      const name = /^(?:module\.)?exports\.(\w+)$/.exec(target?.text ?? '')?.[1];
      return name === undefined ? [] : found(name, value);
    }
    default:
      return found(declaration?.child('VariableDefinition')?.text ?? 'default', declaration);
  }
}

/** The value in `name = …` and `name: Type = …`. */
function valueOf(name: SourceNode): SourceNode | undefined {
  const next = name.next();
  const equals = next?.kind === 'TypeAnnotation' ? next.next() : next;
  return equals?.kind === 'Equals' ? equals.next() : undefined;
}

function signatureOf(
  name: string,
  definition: SourceNode,
  doc: Doc,
  { direct, isDefault }: { direct: boolean; isDefault: boolean },
  source: string,
  types: TypeScriptTypes,
): Signature {
  const returns = definition.child('TypeAnnotation')?.children()[1];
  const inWords = doc.returns?.type?.replace(/^Promise<(.*)>$/s, '$1');
  const output = returns ? types.of(returns) : inWords === undefined ? {} : types.ofText(inWords);
  const late = new RegExp(
    String.raw`(?:\bexports\.${name}\s*=|module\.exports\s*=\s*(?:${name}\b|\{[^}]*\b${name}\b)|export\s*\{[^}]*\b${name}\b)`,
  );
  const lateDefault = new RegExp(String.raw`(?:module\.exports\s*=\s*${name}\b|export\s+default\s+${name}\b)`);
  const asDefault = isDefault || lateDefault.test(source);
  return {
    name,
    description: wordsOf(doc),
    ...parametersOf(definition, doc, types),
    ...(Object.keys(output).length > 0 && output.type !== 'null' && { output }),
    exported: direct || asDefault || late.test(source),
    ...(asDefault && { isDefault: true }),
    isAsync: definition.child('async') !== undefined,
    isGenerator: definition.child('Star') !== undefined,
  };
}
