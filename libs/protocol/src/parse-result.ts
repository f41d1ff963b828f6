import type { Call, ErrorKind, LocatedProblem, LocatedWarning, Problem } from '@errand/contracts';
import { placesIn } from './places.js';

/** The block formats of grammar.md: XML, and the three dialects of TAM. */
export type Protocol = 'action' | 'tam' | 'tam2' | 'vcp';

/** What a text says; plain data, as `POST /v1/parse` answers it. */
export interface ParseResult {
  /** The format of the block found; null: the text holds no block and is a plain response. */
  protocol: Protocol | null;
  /** The text before the block, trimmed, less the code fence that the block stands in; the whole text where there is no block. */
  responseText: string;
  /** The text after the block, trimmed; empty where there is none. */
  trailingText: string;
  /** Every call, with the tool's id and typed arguments; empty as soon as there is one error. */
  calls: Call[];
  errors: LocatedProblem[];
  warnings: LocatedWarning[];
  /** What to tell the model where there are errors or warnings, else null. */
  observation: string | null;
}

/** A problem at an offset in the submitted text, before offsets become lines and columns. */
export interface Finding extends Problem {
  kind: ErrorKind;
  at: number;
  call?: number;
}

/** A text can be wrong in a hundred thousand places; nobody reads so many. */
const MAX_LISTED = 100;
/** Messages quote names, which may have any length. */
const MAX_MESSAGE = 1_000;

/** Where the parts of the parser leave what they find. Offsets throughout; places are worked out once, at the end. */
export class Findings {
  readonly errors: Finding[] = [];
  readonly warnings: { message: string; at: number; kind?: 'deprecated' }[] = [];

  error(
    kind: ErrorKind,
    at: number,
    message: string,
    more: { path?: string; suggestion?: string; call?: number } = {},
  ): void {
    this.errors.push({ kind, path: '', message, at, ...more });
  }

  warn(at: number, message: string, more: { kind?: 'deprecated' } = {}): void {
    this.warnings.push({ message, at, ...more });
  }

  /** Errors and warnings in the order of the text, with lines and columns; at most `MAX_LISTED` of each. */
  placed(text: string): { errors: LocatedProblem[]; warnings: LocatedWarning[] } {
    const placeAt = placesIn(text);
    const place = <T extends { at: number; message: string }>({ at, message, ...rest }: T) => ({
      ...rest,
      message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message,
      ...placeAt(at),
    });
    const [errors, warnings] = [firstInOrder(this.errors), firstInOrder(this.warnings)];
    const more = this.errors.length + this.warnings.length - errors.length - warnings.length;
    if (more > 0) warnings.push({ message: `${more} further problems are not listed`, at: text.length });
    return { errors: errors.map(place), warnings: warnings.map(place) };
  }
}

function firstInOrder<T extends { at: number }>(list: T[]): T[] {
  return list.toSorted((a, b) => a.at - b.at).slice(0, MAX_LISTED);
}
