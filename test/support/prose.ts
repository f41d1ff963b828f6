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
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Prose[] = [];
  const seen = new Set<number>();
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const add = (kind: Prose['kind'], position: number, raw: string) =>
    found.push({ file, line: lineAt(position), kind, text: withoutCode(raw) });
  const addComments = (ranges: readonly ts.CommentRange[] | undefined) => {
    // Line comments that follow each other are one text.
    let previous: { end: number; prose: Prose } | undefined;
    for (const { pos, end, kind } of ranges ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const raw = commentText(text.slice(pos, end));
      const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
      if (isLine && previous && text.slice(previous.end, pos).trim() === '') {
        previous.prose.text += ` ${withoutCode(raw)}`;
        previous.end = end;
        continue;
      }
      add('comment', pos, raw);
      previous = isLine ? { end, prose: found.at(-1)! } : undefined;
    }
  };
  const visit = (node: ts.Node): void => {
    if (node.getChildCount() === 0 || ts.isStatement(node) || ts.isClassElement(node) || ts.isTypeElement(node)) {
      addComments(ts.getLeadingCommentRanges(text, node.getFullStart()));
      addComments(ts.getTrailingCommentRanges(text, node.getEnd()));
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const words = textOfString(node);
      if (isTitle(node)) add('title', node.getStart(), words);
      else if ((words.match(/\b[A-Za-z]+\b/g)?.length ?? 0) >= MESSAGE_WORDS && !/[{}]\s*$|^\s*</.test(words))
        add('message', node.getStart(), words);
    }
    node.getChildren(source).forEach(visit);
  };
  visit(source);
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
function isTitle(node: ts.Node): boolean {
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return false;
  return /^(it|test|describe)\b/.test(call.expression.getText());
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
