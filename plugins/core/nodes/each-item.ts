import { ToolError, type Json } from '@errand/contracts';

/** What comes of each item of a list, in order. @throws Error that says at which item; a ToolError is about all of them */
export function eachItem<T>(items: readonly Json[], work: (variables: { item: Json; index: number }) => T): T[] {
  return items.map((item, index) => {
    try {
      return work({ item, index });
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new Error(`${error instanceof Error ? error.message : String(error)} (at item ${index})`, { cause: error });
    }
  });
}
