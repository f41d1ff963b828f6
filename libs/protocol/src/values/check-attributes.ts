import { writeElement } from '../action/write-action.js';
import { pointer, type Coercion } from './coercion.js';
import type { Shape } from './shape-of.js';
import type { Attribute, Tag } from './value-source.js';

const SHOWN = 60;
const MAX_NAMED = 5;

/**
 * Checks attributes, so that no value is lost. An attribute with the name of a property is a problem that shows the tag
 * to write. `value` on a blank element is its value, with a warning; beside a body it is a problem. Other attributes
 * are ignored with a warning.
 * @param isCall whether the tag is a call, which has parameters and no value
 */
export function checkAttributes(tag: Tag, shape: Shape, path: string, coercion: Coercion, isCall = false): void {
  const { attributes, at, fault, misplaced = fault } = tag;
  if (misplaced !== undefined) {
    coercion.problems.push({ path, message: misplaced, at });
    if (fault !== undefined && misplaced !== fault) coercion.warnings.push({ message: fault, at });
    return;
  }
  if (attributes.length === 0) return;
  const ignored: string[] = [];
  for (const attribute of attributes) {
    const name = attribute.name.slice(0, SHOWN);
    if (namesProperty(attribute, tag, shape)) {
      const message = `The attribute '${name}' of <${tag.name}> must be a tag: ${tagFor(attribute)}`;
      coercion.problems.push({ path: pointer(path, attribute.name), message, at });
    } else if (!isCall && isValue(attribute)) checkValue(attribute, tag, path, coercion);
    else ignored.push(name);
  }
  if (ignored.length === 0) return;
  const named = ignored.slice(0, MAX_NAMED).join(', ') + (ignored.length > MAX_NAMED ? ', …' : '');
  const message = `The attributes of <${tag.name}> are ignored (${named}); write each value as a tag`;
  coercion.warnings.push({ message, at });
}

/** Whether the attribute is `value`, in any letter case. */
export function isValue({ name }: Attribute): boolean {
  return name.toLowerCase() === 'value';
}

function checkValue({ value }: Attribute, { name, at, blank }: Tag, path: string, coercion: Coercion): void {
  if (blank && value !== undefined) {
    const message = `The attribute 'value' of <${name}> is read as its value; write the value between the tags`;
    coercion.warnings.push({ message, at });
    return;
  }
  const reason = blank ? 'has no value' : 'is beside a body';
  const message = `The attribute 'value' of <${name}> ${reason}; write the value once, between the tags`;
  coercion.problems.push({ path, message, at });
}

/** Whether the attribute may be a property of the element's value, or of the only element of a list. */
function namesProperty({ name }: Attribute, tag: Tag, shape: Shape): boolean {
  const shapes = [shape, ...(shape.types?.has('array') ? [shape.shapeOfItem(0)] : [])];
  return shapes.some(
    (one) => declares(one, name) || (tag.blank && one.isOpenObject && !isValue({ name }) && name !== 'xml:space'),
  );
}

/** Ignores case, `_` and `-`, so that a name misspelt in this way is found. */
function declares(shape: Shape, name: string): boolean {
  const fold = (text: string) => text.toLowerCase().replace(/[_-]/g, '');
  return shape.property(name) !== undefined || shape.names.some((one) => fold(one) === fold(name));
}

function tagFor({ name, value = '…' }: Attribute): string {
  const shown = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
  return writeElement(name.slice(0, SHOWN), shown);
}
