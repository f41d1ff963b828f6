import type { SessionMessage } from '@errand/contracts';

/** The number of characters of a message that a model reads: its content and the arguments of its calls. */
export function sizeOf({ content, toolCalls = [] }: Pick<SessionMessage, 'content' | 'toolCalls'>): number {
  const calls = toolCalls.map(({ function: { name, arguments: args } }) => name.length + args.length);
  return calls.reduce((sum, size) => sum + size, content.length);
}
