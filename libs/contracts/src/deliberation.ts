/** The inputs that a turn gives its deliberation workflow, where the workflow declares them. */
export const DELIBERATION_INPUTS = [
  'message',
  'messages',
  'observations',
  'instructions',
  'toolsPrompt',
  'tools',
  'privateState',
  'worldState',
  'context',
  'round',
  'agent',
  'session',
  'limits',
] as const;
export type DeliberationInput = (typeof DELIBERATION_INPUTS)[number];

const byFoldedName = new Map<string, DeliberationInput>(DELIBERATION_INPUTS.map((name) => [foldSlotName(name), name]));

/** The input that a workflow means by a name. Case and `_` do not matter: `PrivateState` is `private_state`. */
export function deliberationInput(name: string): DeliberationInput | undefined {
  return byFoldedName.get(foldSlotName(name));
}

/** A name of an input or output without case and `_`, as names are compared: `PrivateState` and `private_state` are the same. */
export function foldSlotName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
