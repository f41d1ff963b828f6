import type { Definition, Json, Tool } from '@errand/contracts';
import { chooseQueue, type DefinedCall } from './choose-queue.js';

interface Case {
  value?: Json;
  effects?: NonNullable<Tool['effects']>;
  isScript?: boolean;
  runner?: string;
}

function definedCalls({ value = 'x', effects = 'none', isScript = true, runner }: Case = {}): DefinedCall {
  const script: Definition['script'] = { language: 'python', entry: 'main.py', files: [] };
  const definition = { tool: { effects, ...(runner && { runner }) }, ...(isScript && { script }) } as Definition;
  return {
    call: { toolId: 'a:b', version: '1.0.0', digest: 'd', kind: isScript ? 'script' : 'node', arguments: { value } },
    definition,
  };
}

describe('The queue of a submission', () => {
  it('A single script goes to the queue of the scripts', () => {
    expect(chooseQueue([definedCalls()])).toBe('scripts');
    expect(chooseQueue([definedCalls({ effects: 'once' })])).toBe('scripts');
    expect(chooseQueue([definedCalls()], 'session')).toBe('scripts');
    expect(chooseQueue([definedCalls({ runner: 'default' })])).toBe('scripts');
  });

  it.each<[string, DefinedCall[], string | undefined]>([
    ['a node', [definedCalls({ isScript: false })], undefined],
    ['several scripts', [definedCalls(), definedCalls()], undefined],
    ['a script with a runner label', [definedCalls({ runner: 'gpu' })], undefined],
    [
      'a script that needs the result of another invocation',
      [definedCalls({ value: '{{job:inv_00000000000000000000000000}}' })],
      undefined,
    ],
    ['a script with effects once in a session', [definedCalls({ effects: 'once' })], 'session'],
  ])('The queue of the invocations takes %s', (_what, calls, session) => {
    expect(chooseQueue(calls, session)).toBe('invocations');
  });
});
