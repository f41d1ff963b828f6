import { didYouMean, type Problem } from '@errand/contracts';

/** The problem of an unknown name, with the nearest known one. */
export function unknownName(path: string, message: string, name: string, known: Iterable<string>): Problem {
  const suggestion = didYouMean(name, known);
  return { path, message, ...(suggestion !== undefined && { suggestion }) };
}
