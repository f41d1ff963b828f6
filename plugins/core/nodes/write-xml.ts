import { XMLBuilder } from 'fast-xml-parser';
import { isObject, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { boundedText } from './bounded-text.js';
import { ATTRIBUTE, forbiddenCharacter, isXmlName, PartCounter, TEXT } from './xml-terms.js';

const BUILDER = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: ATTRIBUTE,
  textNodeName: TEXT,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
});

/**
 * Writes `{<root>: …}` as XML text, without a declaration. The builder writes names and texts as they are, so everything
 * is checked before.
 * @throws ParameterValidationError for a value that is not an element, with its location; ResourceLimitError
 */
export function writeXml(value: Json): string {
  const [root, ...others] = isObject(value) ? Object.keys(value) : [];
  if (!isObject(value) || root === undefined || others.length > 0)
    throw wrong('', 'must be an object with one name, the root element');
  if (!isXmlName(root)) throw wrong('', `has the root element '${root.slice(0, 100)}', which is not a name in XML`);
  if (Array.isArray(value[root])) throw wrong(root, 'must be one element, not a list');
  const text = BUILDER.build(new ElementCheck().checked(value));
  // A reader turns a carriage return into a line feed, and the builder does not escape it.
  return boundedText(text.replaceAll('\r', '&#13;'));
}

class ElementCheck {
  private readonly parts = new PartCounter();

  /** A copy of an element in the form of the builder. `path` is its location in the value. */
  checked(element: Record<string, Json>, path: readonly string[] = []): JsonObject {
    return Object.fromEntries(Object.entries(element).map(([name, value]) => [name, this.part(name, value, path)]));
  }

  private part(name: string, value: Json, path: readonly string[]): Json {
    this.parts.add();
    const isAttribute = name.startsWith(ATTRIBUTE);
    if (name !== TEXT && !isXmlName(isAttribute ? name.slice(ATTRIBUTE.length) : name))
      throw wrong(path.join('.'), `has the name '${name.slice(0, 100)}', which XML does not allow`);
    const location = [...path, name];
    if (isAttribute || name === TEXT) return scalar(value, location);
    return Array.isArray(value) ? value.map((item) => this.item(item, location)) : this.item(value, location);
  }

  private item(value: Json, location: readonly string[]): Json {
    this.parts.add();
    if (isObject(value)) return this.checked(value, location);
    if (Array.isArray(value)) throw wrong(location.join('.'), 'is a list inside a list; give the inner items a name');
    // The builder writes null before the other items of its list.
    return scalar(value, location) ?? '';
  }
}

function scalar(value: Json, location: readonly string[]): Json {
  if (typeof value === 'object' && value !== null)
    throw wrong(location.join('.'), 'must be a text, a number or a boolean');
  const forbidden = typeof value === 'string' ? forbiddenCharacter(value) : undefined;
  if (forbidden !== undefined) throw wrong(location.join('.'), `has the character ${forbidden}, which XML forbids`);
  return value;
}

function wrong(path: string, problem: string): ToolError {
  const location = path === '' ? "'value'" : `'value' at ${path.slice(0, 200)}`;
  return new ToolError('ParameterValidationError', `${location} ${problem}`);
}
