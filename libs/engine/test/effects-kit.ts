import { setImmediate } from 'node:timers/promises';
import type { NodeType } from '@errand/contracts';
import { give, nodeType, workflow } from './workflow-kit.js';

export const NONE = { effects: 'none' } as const;

/** `test:pure` has no effects, `test:act` declares nothing. Both note their runs in `begun`. */
export function kit(run: NodeType['run'] = () => ({ value: 1 })) {
  const begun: string[] = [];
  const noted: NodeType['run'] = (inputs, context) => {
    begun.push(context.nodeId);
    return run(inputs, context);
  };
  const pure = nodeType('test:pure', ['value'], noted, NONE);
  const act = nodeType('test:act', ['value'], noted);
  return { begun, types: [pure, act, give] };
}

/** A chain: `chain('pure', 'act')` has the nodes `n0` (without effects) and `n1`. */
export function chain(...kinds: ('pure' | 'act')[]) {
  const nodes = kinds.map((kind, n) => ({ id: `n${n}`, type: `test:${kind}` }));
  const edges = nodes.slice(1).map((_, n) => `n${n}.value > n${n + 1}.value`);
  return workflow(nodes, [...edges, `n${nodes.length - 1}.value > out.v`], { outputs: ['v'] });
}

/** Lets everything happen that needs no outside event. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate();
}
