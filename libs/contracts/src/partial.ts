/** What the answer of a route says of the shards that did not answer. */
export interface PartialAnswer {
  /** Some shards did not answer: what they hold is missing. */
  partial?: true;
  /** The names of these shards, with `partial`. */
  missingShards?: string[];
}

/** The part of an answer that names missing shards. @param missing undefined or empty if all answered */
export function partialOf(missing: readonly string[] | undefined): PartialAnswer {
  return missing === undefined || missing.length === 0 ? {} : { partial: true, missingShards: [...missing] };
}
