import type { Definition, Json, Tool } from '@errand/contracts';
import { chooseQueue, type Packed } from './choose-queue.js';

interface Case {
  value?: Json;
  effects?: NonNullable<Tool['effects']>;
  isScript?: boolean;
  runner?: string;
}

function packed({ value = 'x', effects = 'none', isScript = true, runner }: Case = {}): Packed {
  const script: Definition['script'] = { language: 'python', entry: 'main.py', files: [] };
  const definition = { tool: { effects, ...(runner && { runner }) }, ...(isScript && { script }) } as Definition;
  return {
    call: { toolId: 'a:b', version: '1.0.0', digest: 'd', kind: isScript ? 'script' : 'node', arguments: { value } },
    definition,
  };
}

describe('the queue of a submission', () => {
  it('is that of the scripts for one script alone', () => {
    expect(chooseQueue([packed()])).toBe('scripts');
    expect(chooseQueue([packed({ effects: 'once' })])).toBe('scripts');
    expect(chooseQueue([packed()], 'session')).toBe('scripts');
    expect(chooseQueue([packed({ runner: 'default' })])).toBe('scripts');
  });

  it.each<[string, Packed[], string | undefined]>([
    ['what is no script', [packed({ isScript: false })], undefined],
    ['several', [packed(), packed()], undefined],
    ['a script that asks for a label', [packed({ runner: 'gpu' })], undefined],
    [
      'a script that waits for another result',
      [packed({ value: '{{job:inv_00000000000000000000000000}}' })],
      undefined,
    ],
    ['a script whose effect may be another call of its session', [packed({ effects: 'once' })], 'session'],
  ])('is that of the workers for %s', (_what, calls, session) => {
    expect(chooseQueue(calls, session)).toBe('invocations');
  });
});
