import type { Call, CallPlaces, ErrorKind, LocatedProblem, LocatedWarning, Problem } from '@errand/contracts';
import { positionsIn } from './positions.js';

/** The block formats: XML (ACTION) and the three dialects of TAM. */
export type Protocol = 'action' | 'tam' | 'tam2' | 'vcp';

/** The result of `parse`: plain data, as `POST /v1/parse` returns it. */
export interface ParseResult {
  /** The format of the block; null if the text has no block and is a plain response. */
  protocol: Protocol | null;
  /**
   * The trimmed text before the block, without the code fence around the block. The whole text if there is no block.
   */
  responseText: string;
  /** The trimmed text after the block, or an empty string. */
  trailingText: string;
  /** All calls, with tool ids and typed arguments. Empty if there is an error. */
  calls: Call[];
  errors: LocatedProblem[];
  warnings: LocatedWarning[];
  /** The Observation about errors and warnings, or null. */
  observation: string | null;
  /** Where each call is written, in text order. Calls with errors are among them. Only on request. */
  places?: CallPlaces[];
  /** The written names of the tools of all calls, also of calls with errors. Only on request. */
  names?: string[];
}

/** A problem at an offset in the submitted text, before offsets become lines and columns. */
interface Finding extends Problem {
  kind: ErrorKind;
  at: number;
  call?: number;
}

/** The largest number of listed problems. A text can have a hundred thousand. */
const MAX_LISTED = 100;
/** The largest length of a message, in characters. Messages quote names of any length. */
const MAX_MESSAGE = 1_000;

/** Collects the errors and warnings of the parser, with offsets. Positions are computed once, at the end. */
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

  /**
   * Returns errors and warnings in text order, with lines and columns; at most `MAX_LISTED` of each.
   * @param endOf the offset behind an error, from its offset. Without it, errors have no end
   */
  located(text: string, endOf?: (at: number) => number): { errors: LocatedProblem[]; warnings: LocatedWarning[] } {
    const positionAt = positionsIn(text);
    const locate = <T extends { at: number; message: string }>({ at, message, ...rest }: T) => ({
      ...rest,
      message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message,
      ...positionAt(at),
    });
    const [errors, warnings] = [firstInOrder(this.errors), firstInOrder(this.warnings)];
    const more = this.errors.length + this.warnings.length - errors.length - warnings.length;
    if (more > 0) warnings.push({ message: `${more} further problems are not listed`, at: text.length });
    const placed = errors.map((error): LocatedProblem => {
      if (!endOf) return locate(error);
      const end = positionAt(endOf(error.at));
      return { ...locate(error), endLine: end.line, endColumn: end.column };
    });
    return { errors: placed, warnings: warnings.map(locate) };
  }
}

function firstInOrder<T extends { at: number }>(list: T[]): T[] {
  return list.toSorted((a, b) => a.at - b.at).slice(0, MAX_LISTED);
}
