import { describe, type Parameter } from './script-analysis.js';

/** The documentation of one parameter. */
interface DocParameter {
  description: string;
  /** The type as the docstring writes it: `int`, `list of str`, `{string[]}`. */
  type?: string;
  optional?: boolean;
}

/** The content of a docstring. */
export interface Doc {
  description: string;
  parameters: Map<string, DocParameter>;
  returns?: DocParameter;
}

type Kind = 'parameters' | 'returns' | 'other';
interface Section {
  kind: Kind | 'words';
  /** Whether the title is underlined, as in NumPy, which writes `name : type`. */
  underlined: boolean;
  lines: string[];
}

const TITLES: readonly [RegExp, Kind][] = [
  [
    /^(?:args|arguments|parameters|params|keyword args|keyword arguments|other parameters|attributes|inputs?)$/i,
    'parameters',
  ],
  [/^(?:returns?|yields?|outputs?)$/i, 'returns'],
  [
    /^(?:raises|throws|except(?:ions)?|examples?|notes?|see also|references|warns?|warnings?|todo|usage|side effects)$/i,
    'other',
  ],
];
const FIELD = /^\s*(?::(\w+)\b\s*([^:]*):|@(\w+))\s*(.*)$/;

/** Reads a docstring in the style of Google, NumPy, reST (Sphinx), Epytext or JSDoc, or in no known style. */
export function readDoc(raw: string): Doc {
  const doc: Doc = { description: '', parameters: new Map() };
  for (const section of sectionsOf(undented(raw))) {
    if (section.kind === 'words') readWords(section.lines, doc);
    else if (section.kind === 'parameters') readParameters(section, doc);
    else if (section.kind === 'returns') doc.returns = readReturns(section);
  }
  return doc;
}

/** Adds the descriptions of the docs to parameters without one. */
export function withWords(parameters: readonly Parameter[], docs: readonly Doc[]): Parameter[] {
  return parameters.map((parameter) => {
    if (parameter.schema.description !== undefined) return parameter;
    const words = docs.map((doc) => doc.parameters.get(parameter.name)?.description).find((found) => found);
    return { ...parameter, schema: describe(parameter.schema, words) };
  });
}

/** The description for the model that chooses a tool: its purpose and its result. */
export function wordsOf({ description, returns }: Doc): string {
  const gives = returns?.description ?? '';
  if (gives === '') return description;
  const sentence = `Returns ${/^(?:the|an?|all|its|each|every|one|how|whether|how many)\b/i.test(gives) ? gives.charAt(0).toLowerCase() + gives.slice(1) : gives}`;
  const stop = description === '' || /[.!?。]$/.test(description) ? '' : '.';
  return `${description}${stop} ${sentence}${/[.!?。]$/.test(gives) ? '' : '.'}`.trim();
}

/** The lines without their common indentation after the first line, as Python's inspect.cleandoc. */
function undented(raw: string): string[] {
  const [first = '', ...rest] = raw.replaceAll('\t', '    ').split(/\r?\n/);
  const filled = rest.filter((line) => line.trim() !== '');
  const margin = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  return [first.trim(), ...rest.map((line) => line.slice(margin).trimEnd())];
}

function sectionsOf(lines: readonly string[]): Section[] {
  let current: Section = { kind: 'words', underlined: false, lines: [] };
  const sections = [current];
  const open = (section: Section) => sections.push((current = section));
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const underlined = /^\s*-{3,}\s*$/.test(lines[index + 1] ?? '') && line.trim() !== '';
    const title = underlined ? line.trim() : /^(\S[^:]*):$/.exec(line)?.[1];
    const kind = TITLES.find(([pattern]) => title !== undefined && pattern.test(title))?.[1];
    if (kind) open({ kind, underlined, lines: [] });
    else if (!current.underlined && current.kind !== 'words' && /^\S/.test(line))
      open({ kind: 'words', underlined: false, lines: [line] });
    else current.lines.push(line);
    if (kind && underlined) index++;
  }
  return sections;
}

/** Reads text, and the fields of reST, Epytext and JSDoc in it. */
function readWords(lines: readonly string[], doc: Doc): void {
  const description: string[] = [];
  const fields: { name: string; subject: string; text: string }[] = [];
  for (const line of lines) {
    const [, rest, subject = '', tag, text = ''] = FIELD.exec(line) ?? [];
    const name = rest ?? tag;
    const last = fields.at(-1);
    if (name !== undefined) fields.push({ name, subject, text });
    else if (last) last.text += `\n${line}`;
    else description.push(line);
  }
  doc.description = oneLine([doc.description, ...description].join('\n'));
  for (const { name, subject, text } of fields) takeField(name.toLowerCase(), subject.trim(), text, doc);
}

function takeField(name: string, subject: string, text: string, doc: Doc): void {
  switch (name) {
    case 'param':
    case 'parameter':
    case 'arg':
    case 'argument':
    case 'key':
    case 'keyword':
    case 'property':
      return subject === '' ? takeTag(text, doc) : takeParameter(subject, text, doc);
    case 'type':
      return merge(doc, subject, { type: oneLine(text) });
    case 'return':
    case 'returns': {
      const { type, rest } = braced(text);
      doc.returns = { ...doc.returns, description: oneLine(rest.replace(/^\s*-\s/, '')), ...(type && { type }) };
      return;
    }
    case 'rtype':
      doc.returns = { description: '', ...doc.returns, type: oneLine(text) };
      return;
    case 'description':
      doc.description = oneLine(`${doc.description} ${text}`);
  }
}

/** Reads `:param int count: how many`. */
function takeParameter(subject: string, text: string, doc: Doc): void {
  const words = subject.split(/\s+/);
  const type = words.slice(0, -1).join(' ');
  merge(doc, (words.at(-1) ?? '').replace(/^\*+/, ''), { description: oneLine(text), ...(type !== '' && { type }) });
}

/** Reads JSDoc's `{type} name - words` and `{type} [name=3] words`, and Epytext's `name: words`. */
function takeTag(text: string, doc: Doc): void {
  const { type, rest } = braced(text);
  const [, bracket, name, words = ''] = /^\s*(\[?)([\w$.]+)(?:\s*=[^\]]*)?\]?\s*:?\s*(?:-\s+)?([^]*)$/.exec(rest) ?? [];
  if (name === undefined) return;
  const optional = bracket === '[' || type?.endsWith('=');
  merge(doc, name, {
    description: oneLine(words),
    ...(type && { type: type.replace(/=$/, '') }),
    ...(optional && { optional: true }),
  });
}

function braced(text: string): { type?: string; rest: string } {
  if (!text.trimStart().startsWith('{')) return { rest: text };
  const start = text.indexOf('{');
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    depth += text[index] === '{' ? 1 : text[index] === '}' ? -1 : 0;
    if (depth === 0) return { type: text.slice(start + 1, index).trim(), rest: text.slice(index + 1) };
  }
  return { rest: text };
}

function readParameters({ lines, underlined }: Section, doc: Doc): void {
  const item = underlined
    ? /^(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::\s*(.*))?$/
    : /^(\*{0,2}[\w.]+)\s*(?:\(((?:[^()]|\([^()]*\))*)\))?\s*:\s*(.*)$/;
  let names: string[] = [];
  for (const line of undented(`\n${lines.join('\n')}`)) {
    const [, given, type, words] = /^\s/.test(line) ? [] : (item.exec(line) ?? []);
    if (given === undefined) {
      for (const name of names)
        merge(doc, name, { description: oneLine(`${doc.parameters.get(name)?.description ?? ''} ${line}`) });
      continue;
    }
    names = given.split(',').map((name) => name.trim().replace(/^\*+/, ''));
    const optional = /\boptional\b/.test(type ?? '');
    const named = (type ?? '')
      .replace(/,?\s*\b(?:optional|default\b.*)$/gi, '')
      .replace(/,\s*optional\b/gi, '')
      .trim();
    for (const name of names)
      merge(doc, name, {
        description: oneLine(underlined ? '' : (words ?? '')),
        ...(named !== '' && { type: named }),
        ...(optional && { optional }),
      });
  }
}

function readReturns({ lines, underlined }: Section): DocParameter {
  const [first = '', ...rest] = undented(`\n${lines.join('\n')}`).filter((line) => line.trim() !== '');
  if (underlined) {
    const type = first.replace(/^\w+\s*:\s*/, '');
    return rest.length === 0 ? { description: oneLine(first) } : { type, description: oneLine(rest.join('\n')) };
  }
  const [, type, words] = /^([\w.[\], |]+?):\s+(.*)$/.exec(first) ?? [];
  const description = oneLine([words ?? first, ...rest].join('\n'));
  return { description, ...(type !== undefined && { type }) };
}

function merge({ parameters }: Doc, name: string, more: Partial<DocParameter>): void {
  parameters.set(name, { description: '', ...parameters.get(name), ...more });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
