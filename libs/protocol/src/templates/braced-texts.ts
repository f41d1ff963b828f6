import type { Json, JsonObject } from '@errand/contracts';
import { pointer } from '../values/coercion.js';

/** A value inside of another one. Its path is only made for texts that are reported. */
interface Place {
  value: Json[] | JsonObject;
  name: string;
  around: Place | undefined;
}

/** A text with a brace, and the container that has it. */
export interface BracedText {
  text: string;
  isName: boolean;
  name: string;
  around: Place;
}

/**
 * The texts of a value that may contain a template, with the names of properties: first those of a container, then those
 * of the containers in it. Iterative, because the depth may be unchecked.
 */
export function bracedTexts(args: JsonObject): BracedText[] {
  const found: BracedText[] = [];
  const waiting: Place[] = [{ value: args, name: '', around: undefined }];
  for (let around = waiting.pop(); around; around = waiting.pop()) {
    const known = waiting.length;
    if (Array.isArray(around.value)) addItems(around.value, around, found, waiting);
    else addProperties(around.value, around, found, waiting);
    // The last one is taken first.
    if (waiting.length > known + 1) reverseFrom(waiting, known);
  }
  return found;
}

function addItems(items: readonly Json[], around: Place, found: BracedText[], waiting: Place[]): void {
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (typeof item === 'string') {
      if (hasBrace(item)) found.push({ text: item, isName: false, name: String(index), around });
    } else if (typeof item === 'object' && item !== null) waiting.push({ value: item, name: String(index), around });
  }
}

function addProperties(bag: JsonObject, around: Place, found: BracedText[], waiting: Place[]): void {
  for (const name of Object.keys(bag)) {
    if (hasBrace(name)) found.push({ text: name, isName: true, name, around });
    const child = bag[name];
    if (typeof child === 'string') {
      if (hasBrace(child)) found.push({ text: child, isName: false, name, around });
    } else if (typeof child === 'object' && child !== null) waiting.push({ value: child, name, around });
  }
}

function reverseFrom(places: Place[], start: number): void {
  for (const place of places.splice(start).toReversed()) places.push(place);
}

/** Every template and every lookalike begins with one. */
function hasBrace(text: string): boolean {
  return text.includes('{') || text.includes('｛');
}

/** The JSON Pointer of a text. */
export function pathOf({ name, around }: BracedText): string {
  const names = [name];
  for (let place: Place | undefined = around; place?.around; place = place.around) names.push(place.name);
  return names.reduceRight(pointer, '');
}
