import { ToolError, type Json } from '@errand/contracts';

/** Maps the items of a list, in order. @throws Error that names the item; a ToolError concerns all items and passes unchanged */
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
