import { parseRedisAddress } from '@errand/contracts';
import type { Setting } from './env.js';
import { readOrigin } from './http/called-host.js';

/** Parses an integer from `min` to `max`. */
export function integer(min: number, max: number) {
  return (text: string): number => {
    const value = /^-?\d+$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  };
}

/** Parses a number from `min` to `max`; fractions are allowed. */
export function decimal(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) throw new Error(`must be a number from ${min} to ${max}`);
    return value;
  };
}

/** Parses durations in seconds, separated by blanks, and returns ms. */
export function seconds(maxEach: number) {
  const one = decimal(0, maxEach);
  return (text: string): number[] => list(/\s+/)(text).map((part) => Math.round(one(part) * 1_000));
}

/** Parses `true` or `false`, and nothing else. A guess about `TRUE` or `1` could give access by mistake. */
export function boolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
  return text === 'true';
}

export function oneOf<const T extends string>(...allowed: T[]) {
  return (text: string): T => {
    if (!(allowed as string[]).includes(text)) throw new Error(`must be one of ${allowed.join(', ')}`);
    return text as T;
  };
}

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be blank');
  return text;
}

/** Splits a text at separators and drops empty parts. */
export function list(separator: RegExp) {
  return (text: string): string[] => text.split(separator).filter((part) => part !== '');
}

/** Checks an address of Redis, a Redis Cluster or its Sentinels, and returns it as it is. */
export function redisUrl(text: string): string {
  parseRedisAddress(text);
  return text;
}

/** Parses a base URL. */
export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  if (!plain) throw new Error('must be an address such as https://api.example.com/v1, without user name, ? and #');
  return text.replace(/\/+$/, '');
}

/** Parses a URL without a path into the form of `readOrigin`. One slash at the end is allowed. */
export function publicUrl(text: string): string {
  const origin = readOrigin(text.replace(/\/$/, ''));
  if (origin === undefined) throw new Error('must be an address such as https://errand.example, without a path');
  return origin;
}

/** Parses origins, separated by blanks or commas, into the form of `readOrigin`, and drops duplicates. */
export function origins(text: string): string[] {
  const read = list(/[\s,]+/)(text).map((entry) => {
    const origin = readOrigin(entry);
    if (origin !== undefined) return origin;
    throw new Error(
      `'${entry}' must be a scheme, a host and, where it is not the default, a port (https://app.example, http://api:3000), without a path or a wildcard`,
    );
  });
  return [...new Set(read)];
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2 };

/** Parses a size such as 1048576, 512kb or 1mb into bytes. */
export function bytes(text: string): number {
  const [, number, unit = 'b'] = /^(\d{1,12})(b|kb|mb)?$/i.exec(text) ?? [];
  const value = Number(number ?? 0) * UNITS[unit.toLowerCase()]!;
  if (value < 1 || value > 1024 ** 3) throw new Error('must be a size up to 1024mb, such as 1048576, 512kb or 1mb');
  return value;
}

/** A setting that has a default. */
export function setting<T>(
  description: string,
  parse: (text: string) => T,
  fallback: string,
): Setting<T> & { fallback: string } {
  return { description, parse, fallback };
}

/** A setting that may be absent. */
export function optional<T>(description: string, parse: (text: string) => T): Setting<T> {
  return { description, parse };
}
