import { parseTree } from './json-tree.js';

/** What is wrong with a JSON text, for people; undefined if nothing is. */
export function jsonProblem(text: string): string | undefined {
  try {
    parseTree(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
