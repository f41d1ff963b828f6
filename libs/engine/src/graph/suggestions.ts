import { didYouMean } from '@errand/contracts';

/** One search among thousands of names takes about a millisecond, and a caller's workflow can have thousands of unknown names. */
const MAX_SEARCHES = 50;

/** Suggests known names for the unknown names of one workflow. Only the first of them get a suggestion. */
export class Suggestions {
  private left = MAX_SEARCHES;

  /** The known name that is meant. Undefined if none is near, or after MAX_SEARCHES searches. */
  nearest(name: string, known: Iterable<string>, search = didYouMean): string | undefined {
    if (this.left === 0) return undefined;
    this.left--;
    return search(name, known);
  }
}

/** The most different names that are compared. The fields and settings of an editor are far fewer. */
const MAX_COMPARED = 1_000;

/** Suggests known names for names that most nodes of a workflow repeat, such as fields. Each is compared once. */
export class RepeatedNames {
  private readonly meant = new Map<string, string | undefined>();

  /**
   * The known name that is meant. Undefined if none is near, or after MAX_COMPARED different names.
   * @param kind implies the known names
   */
  nearest(name: string, kind: string, known: readonly string[]): string | undefined {
    const key = `${kind} ${name}`;
    if (!this.meant.has(key) && this.meant.size < MAX_COMPARED) this.meant.set(key, didYouMean(name, known));
    return this.meant.get(key);
  }
}
