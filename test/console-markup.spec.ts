import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '..');
const FOLDER = 'apps/console/src';

/** Names by which a text could become HTML, a style or code. All text of the console is set as text nodes and attribute values. */
const FORBIDDEN = new Set([
  'innerHTML',
  'outerHTML',
  'dangerouslySetInnerHTML',
  'insertAdjacentHTML',
  'createContextualFragment',
  'setHTML',
  'setHTMLUnsafe',
  'parseHTMLUnsafe',
  'DOMParser',
  'srcdoc',
  'srcDoc',
  'cssText',
  'insertRule',
  'replaceSync',
  'eval',
]);

interface Finding {
  line: number;
  name: string;
}

/** The places of a source file at which a text could become more than text. */
function findMarkup(path: string, source: string): Finding[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: Finding[] = [];
  const visit = (node: ts.Node): void => {
    const name = forbiddenIn(node);
    if (name !== undefined) found.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, name });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function forbiddenIn(node: ts.Node): string | undefined {
  // A quoted name is a key (`element['innerHTML']`), a name of an attribute, or harmless words that should be other words.
  if ((ts.isIdentifier(node) || ts.isStringLiteralLike(node)) && FORBIDDEN.has(node.text)) return node.text;
  if (ts.isJsxAttribute(node) && node.name.getText() === 'style' && !isStyleObject(node)) return 'style as text';
  if (ts.isJsxOpeningLikeElement(node) && /^(?:style|script|iframe|object|embed|base)$/.test(node.tagName.getText()))
    return `<${node.tagName.getText()}>`;
  if (ts.isNewExpression(node) && node.expression.getText() === 'Function') return 'new Function';
  if (!ts.isCallExpression(node)) return undefined;
  const called = node.expression.getText();
  const [first] = node.arguments;
  if (/\bdocument\.write(?:ln)?$/.test(called)) return 'document.write';
  if (
    /\.setAttribute(?:NS)?$/.test(called) &&
    first &&
    (!ts.isStringLiteral(first) || /^(?:style|on.*)$/i.test(first.text))
  )
    return 'setAttribute of a style, a handler or a computed name';
  return undefined;
}

function isStyleObject({ initializer }: ts.JsxAttribute): boolean {
  return (
    initializer !== undefined &&
    ts.isJsxExpression(initializer) &&
    initializer.expression !== undefined &&
    ts.isObjectLiteralExpression(initializer.expression)
  );
}

const sources = (readdirSync(join(ROOT, FOLDER), { recursive: true }) as string[]).filter(
  (path) => /\.tsx?$/.test(path) && !/[.-]spec\.tsx?$/.test(path),
);

describe('The source of the console', () => {
  it('No file has a way by which a text becomes HTML, a style or code', () => {
    expect(sources.length).toBeGreaterThan(10);
    const found = sources.flatMap((path) =>
      findMarkup(path, readFileSync(join(ROOT, FOLDER, path), 'utf8')).map(
        ({ line, name }) => `${FOLDER}/${path}:${line}: ${name}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it.each([
    'element.innerHTML = text;',
    "element['innerHTML'] = text;",
    'element.insertAdjacentHTML("beforeend", text);',
    '<p dangerouslySetInnerHTML={{ __html: text }} />;',
    '<p style="color: red" />;',
    '<p style={text} />;',
    '<p {...{ style: 1, srcdoc: text }} />;',
    '<style>{text}</style>;',
    '<iframe src="/x" />;',
    'element.style.cssText = text;',
    "element.setAttribute('style', text);",
    "element.setAttribute('onclick', text);",
    'element.setAttribute(name, text);',
    'document.write(text);',
    'new Function(text);',
    'eval(text);',
    'sheet.insertRule(text);',
    'new DOMParser();',
  ])('The check refuses %s', (source) => {
    expect(findMarkup('a.tsx', source)).not.toEqual([]);
  });

  it.each([
    '<p class="a">{text}</p>;',
    '<p style={{ width: share }} />;',
    '// innerHTML is forbidden\nelement.textContent = text;',
    "element.setAttribute('data-id', text);",
  ])('The check allows %s', (source) => {
    expect(findMarkup('a.tsx', source)).toEqual([]);
  });
});
