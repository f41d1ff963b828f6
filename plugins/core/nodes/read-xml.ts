import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { isDeeperThan, isObject, MAX_DEPTH, ToolError, type Json } from '@errand/contracts';
import { requireLength } from './bounded-text.js';
import { decodeXmlText } from './decode-xml-text.js';
import { ATTRIBUTE, forbiddenCharacter, isXmlName, PartCounter, TEXT } from './xml-terms.js';

const CDATA = '#cdata';
const ATTRIBUTES = ':@';
/** No name begins with it. With it, names such as `constructor` pass the parser, which refuses them otherwise. */
const MARK = '.';
const AROUND = 'document';
const MAX_MESSAGE = 300;

/**
 * The parser gives a list of nodes in document order. It decodes and converts nothing: this module does, because the
 * parser decodes CDATA sections and texts in the same way.
 */
const PARSER = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: ATTRIBUTE,
  textNodeName: TEXT,
  cdataPropName: CDATA,
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
  jPath: false,
  transformTagName: (name) => (name.startsWith(MARK) ? name : MARK + name),
});

/**
 * Reads XML text into `{<root>: …}`. Comments, processing instructions and white space between elements are left out.
 * @throws ParameterValidationError if the text is not well-formed or has a document type; ResourceLimitError
 */
export function readXml(text: string): Json {
  requireLength(text.length);
  const source = text.replace(/^\ufeff/, '');
  refuseDocumentType(source);
  const forbidden = forbiddenCharacter(source);
  if (forbidden !== undefined) throw notWellFormed(`it has the character ${forbidden}, which XML forbids`);
  validate(source);
  const value = new XmlReader().read(parse(source));
  if (isDeeperThan(value)) throw tooDeep();
  return value;
}

/** Entities of a document type can grow without bound, and can name files. */
function refuseDocumentType(source: string): void {
  if (!/<!(?:DOCTYPE|ENTITY)/i.test(source)) return;
  throw new ToolError(
    'ParameterValidationError',
    "'value' has a document type (<!DOCTYPE or <!ENTITY), which is refused; remove it and write its entities out",
  );
}

/** The parser itself accepts mismatched tags in silence. */
function validate(source: string): void {
  const outcome = XMLValidator.validate(source);
  if (outcome === true) return;
  const { msg, line, col } = outcome.err;
  throw notWellFormed(`${msg.slice(0, MAX_MESSAGE)} (line ${line}, column ${col})`);
}

function parse(source: string): unknown {
  try {
    // The parser drops a text behind the root. Inside another element it keeps it.
    return PARSER.parse(`<${AROUND}>${source}</${AROUND}>`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (message.startsWith('Maximum nested tags')) throw tooDeep();
    throw notWellFormed(message.slice(0, MAX_MESSAGE));
  }
}

function tooDeep(): ToolError {
  return new ToolError('ParameterValidationError', `'value' nests deeper than ${MAX_DEPTH} levels`);
}

function notWellFormed(reason: string): ToolError {
  return new ToolError('ParameterValidationError', `'value' is not well-formed XML: ${reason}`);
}

/** Makes a value from the nodes of the parser. Its depth is bounded by the parser. */
class XmlReader {
  private readonly parts = new PartCounter();

  read(nodes: unknown): Json {
    const [document, ...rest] = Array.isArray(nodes) ? nodes : [];
    const { elements, texts } = this.gather(rest.length === 0 ? document?.[MARK + AROUND] : []);
    const [root, ...others] = elements;
    if (!root || others.length > 0 || root[1].length > 1) throw notWellFormed('it must have one root element');
    if (texts.some(({ isSpace }) => !isSpace)) throw notWellFormed('it has a text outside of its root element');
    return Object.fromEntries([[root[0], root[1][0] ?? null]]);
  }

  /** The value of an element: its text, or an object if it has attributes or child elements. */
  private valueOf(node: Record<string, unknown>, name: string): Json {
    const attributes = Object.entries(isObject(node[ATTRIBUTES]) ? node[ATTRIBUTES] : {}).map(
      ([attribute, text]): [string, Json] => [this.named(attribute, ATTRIBUTE), decodeXmlText(String(text))],
    );
    const { elements, texts } = this.gather(node[name]);
    const isMixed = elements.length > 0;
    const text = texts.filter(({ isSpace }) => !(isMixed && isSpace)).reduce((all, { value }) => all + value, '');
    if (attributes.length === 0 && !isMixed) return text;
    const children = elements.map(([child, values]): [string, Json] => [
      child,
      values.length === 1 ? (values[0] ?? null) : values,
    ]);
    return Object.fromEntries([...attributes, ...children, ...(text === '' ? [] : [[TEXT, text] as const])]);
  }

  /** The values of the child elements by name, in the order of their first occurrence, and the texts. */
  private gather(nodes: unknown): { elements: [string, Json[]][]; texts: { value: string; isSpace: boolean }[] } {
    const elements = new Map<string, Json[]>();
    const texts: { value: string; isSpace: boolean }[] = [];
    for (const node of Array.isArray(nodes) ? nodes : []) {
      const key = Object.keys(node).find((one) => one !== ATTRIBUTES) ?? '';
      if (key === TEXT) texts.push(textOf(String(node[TEXT])));
      else if (key === CDATA) texts.push({ value: String(node[CDATA][0][TEXT]), isSpace: false });
      else {
        const name = this.named(key, MARK).slice(MARK.length);
        const values = elements.get(name);
        const value = this.valueOf(node, key);
        if (values) values.push(value);
        else elements.set(name, [value]);
      }
    }
    return { elements: [...elements], texts };
  }

  /** Counts a part and checks its name, which begins with `prefix`. The validator overlooks names such as `!a`. */
  private named(key: string, prefix: string): string {
    this.parts.add();
    if (key.startsWith(prefix) && isXmlName(key.slice(prefix.length))) return key;
    throw notWellFormed(`'${key.slice(prefix.length, prefix.length + 50)}' is not a name`);
  }
}

function textOf(raw: string): { value: string; isSpace: boolean } {
  return { value: decodeXmlText(raw), isSpace: /^[ \t\r\n]*$/.test(raw) };
}
