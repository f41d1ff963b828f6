import { isObject } from '@errand/contracts';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** The bounds of the keys of an object. Lengths are in UTF-16 code units. */
export interface KeyBounds {
  count: number;
  length: number;
}

/** The bounds of the metadata of an invocation. A filter by more keys would match nothing. */
export const METADATA_KEYS: KeyBounds = { count: 256, length: 256 };

/** Bounds the number of keys of a free object, and their lengths. Values and deeper keys are bounded by the size of the body. */
export function BoundedKeys(bounds: KeyBounds): PropertyDecorator {
  return ValidateBy({
    name: 'boundedKeys',
    constraints: [bounds],
    validator: {
      validate: (value: unknown) => faultOfKeys(value, bounds) === undefined,
      defaultMessage: ({ property, value }: ValidationArguments) =>
        `${property} ${faultOfKeys(value, bounds) ?? 'is valid'}`,
    },
  });
}

/** Which bound the keys of an object exceed, as the end of a sentence. Undefined within the bounds, and for other values. */
export function faultOfKeys(value: unknown, { count, length }: KeyBounds): string | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  if (keys.length > count) return `must have at most ${count} keys, not ${keys.length}`;
  const long = keys.find((key) => key.length > length);
  if (long === undefined) return undefined;
  return `must have keys of at most ${length} characters; one has ${long.length}: '${long.slice(0, 40)}…'`;
}
