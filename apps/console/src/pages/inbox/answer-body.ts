import type { InboxItem } from '@errand/contracts';

/** The body of the answer, with the JSON of the result as it was typed. */
export function bodyOf({ nodeId }: Pick<InboxItem, 'nodeId'>, answer: string): string {
  return nodeId === null ? `{${answer}}` : `{${answer}, "nodeId": ${JSON.stringify(nodeId)}}`;
}
