import { lstatSync, readFileSync, statSync, type BigIntStats } from 'node:fs';
import { codeOf } from '../plugins/thrown-values.js';

const MAX_BYTES = 8 * 1024 * 1024;

/** A second write within this time can have the same timestamp, so the state of a younger file is not reliable. */
const YOUNG_MS = 100;

/**
 * A key that changes with the file: its kind, inode, size and times. Undefined if the file is missing, or was written a
 * moment ago and may change without a new key.
 */
export function stateOf(file: string): string | undefined {
  const stats = tryToStat(file);
  if (!stats || Date.now() - Number(stats.mtimeMs) < YOUNG_MS) return undefined;
  return [stats.mode, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join();
}

/**
 * The text of a file.
 * @throws Error if the file is missing, not text, or too large
 */
export function readText(file: string): string {
  const stats = statOf(file);
  if (!stats) throw new Error(isLink(file) ? 'it is a link to a missing file' : 'the file does not exist');
  if (stats.isDirectory()) throw new Error('it is a folder');
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes; at most ${MAX_BYTES} are read`);
  const bytes = readFileSync(file);
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) throw new Error('it is written in UTF-16; save it as UTF-8');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not a text in UTF-8');
  }
}

function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw codeOf(error) === 'ELOOP' ? new Error('it is a link that leads back to itself', { cause: error }) : error;
  }
}

function tryToStat(file: string): BigIntStats | undefined {
  try {
    return statOf(file);
  } catch {
    return undefined;
  }
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}
