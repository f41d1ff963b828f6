import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import ts from 'typescript';

/** A piece of prose that people read, with the line on which it begins. */
export interface Prose {
  file: string;
  line: number;
  kind: 'comment' | 'document' | 'title' | 'message';
  text: string;
}

/** A string is a message if it has at least this many words. */
const MESSAGE_WORDS = 4;
/** Comments are read from the text, so the parser need not read those of JSDoc. */
const PARSED = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', '.git', 'cases', 'fixtures', 'conformance', 'schemas']);

/** All prose below `folder`: comments, Markdown, test titles and messages. Code in backticks is left out. */
export function proseIn(root: string, folder: string): Prose[] {
  return filesIn(root, folder).flatMap((file) => proseOf(file, readFileSync(join(root, file), 'utf8')));
}

/** The prose of one file; none for a file of an unknown kind. */
export function proseOf(file: string, text: string): Prose[] {
  const extension = extname(file);
  if (extension === '.ts' || extension === '.mjs' || extension === '.cjs') return proseOfScript(file, text);
  if (extension === '.md') return proseOfMarkdown(file, text);
  if (extension === '.lua') return proseOfLines(file, text, /^\s*--\s?(.*)$/);
  if (extension === '.py' || extension === '.sh' || extension === '.yml')
    return proseOfLines(file, text, /^\s*#\s(.*)$/);
  return [];
}

export function countWords(prose: readonly Prose[]): number {
  return prose.reduce((sum, { text }) => sum + (text.match(/[A-Za-z][\w'-]*/g)?.length ?? 0), 0);
}

function filesIn(root: string, folder: string): string[] {
  if (statSync(join(root, folder)).isFile()) return [folder];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : filesIn(root, path);
    return entry.isFile() ? [path] : [];
  });
}

function proseOfScript(file: string, text: string): Prose[] {
  const source = ts.createSourceFile(file, text, PARSED);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: Prose[] = [];
  const literals: ts.TextRange[] = [];
  const visit = (node: ts.Node, parent: ts.Node): void => {
    if (ts.isLiteralExpression(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      literals.push({ pos: node.getStart(source), end: node.end });
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const words = textOfString(node);
      const line = lineAt(node.getStart(source));
      if (isTitle(node, parent, source)) found.push({ file, line, kind: 'title', text: withoutCode(words) });
      else if ((words.match(/\b[A-Za-z]+\b/g)?.length ?? 0) >= MESSAGE_WORDS && !/[{}]\s*$|^\s*</.test(words))
        found.push({ file, line, kind: 'message', text: withoutCode(words) });
    }
    ts.forEachChild(node, (child) => visit(child, node));
  };
  visit(source, source);
  const comments = commentsIn(text, literals).map(({ pos, words }): Prose => ({
    file,
    line: lineAt(pos),
    kind: 'comment',
    text: words,
  }));
  return [...found, ...comments].toSorted((a, b) => a.line - b.line);
}

/**
 * The comments of a script. Line comments that follow each other are one text.
 * @param literals the ranges in which a comment cannot begin, in text order
 */
function commentsIn(text: string, literals: readonly ts.TextRange[]): { pos: number; words: string }[] {
  const found: { pos: number; words: string }[] = [];
  const comment = /\/\/.*|\/\*[^]*?\*\//g;
  let lineEnd: number | undefined;
  let literal = 0;
  for (let match = comment.exec(text); match; match = comment.exec(text)) {
    const { index: pos } = match;
    const end = comment.lastIndex;
    while (literal < literals.length && literals[literal]!.end <= pos) literal++;
    const around = literals[literal];
    if (around && around.pos <= pos) {
      comment.lastIndex = around.end;
      continue;
    }
    const words = withoutCode(commentText(match[0]));
    const isLine = match[0].startsWith('//');
    if (isLine && lineEnd !== undefined && text.slice(lineEnd, pos).trim() === '') found.at(-1)!.words += ` ${words}`;
    else found.push({ pos, words });
    lineEnd = isLine ? end : undefined;
  }
  return found;
}

function commentText(raw: string): string {
  if (raw.startsWith('//')) return raw.slice(2).trim();
  return raw
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .replaceAll(/^\s*@\w+\s*/gm, '. ');
}

function textOfString(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return node.head.text + node.templateSpans.map((span) => `\`x\`${span.literal.text}`).join('');
}

/** The name of a test or of a group of tests. */
function isTitle(node: ts.Node, call: ts.Node, source: ts.SourceFile): boolean {
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return false;
  return /^(it|test|describe)\b/.test(call.expression.getText(source));
}

function proseOfMarkdown(file: string, text: string): Prose[] {
  const found: Prose[] = [];
  let isCode = false;
  let paragraph: Prose | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const startsNew = /^\s*([-*#|>]|\d+\.)/.test(line);
    if (isCode || line.trim() === '' || startsNew) paragraph = undefined;
    if (isCode || line.trim() === '' || /^\s*(```|~~~)/.test(line)) continue;
    const words = line
      .replace(/^\s*([-*#>]+|\d+\.)\s/, '')
      .replaceAll(/\]\([^)]*\)/g, ']')
      .replaceAll('|', ' . ');
    if (paragraph) paragraph.text += ` ${words}`;
    else found.push((paragraph = { file, line: index + 1, kind: 'document', text: words }));
  }
  for (const prose of found) prose.text = withoutCode(prose.text);
  return found;
}

function proseOfLines(file: string, text: string, comment: RegExp): Prose[] {
  const found: Prose[] = [];
  let open = false;
  for (const [index, line] of text.split('\n').entries()) {
    const words = comment.exec(line)?.[1];
    if (words !== undefined && open) found.at(-1)!.text += ` ${withoutCode(words)}`;
    else if (words !== undefined) found.push({ file, line: index + 1, kind: 'comment', text: withoutCode(words) });
    open = words !== undefined;
  }
  return found;
}

/** Names in backticks are public names or code: they are not prose. */
function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]*`/g, 'X').replaceAll(/https?:\S+/g, 'X');
}
