import { didYouMean, type Problem } from '@errand/contracts';

/** A name that is not known, with the nearest that is. */
export function unknownName(path: string, message: string, name: string, known: Iterable<string>): Problem {
  const suggestion = didYouMean(name, known);
  return { path, message, ...(suggestion !== undefined && { suggestion }) };
}
