import { DEFAULT_AGENT_LIMITS, STATUSES, sumUsage, type AgentLimits, type Round } from '@errand/contracts';
import * as fc from 'fast-check';
import { nextAction, tokensOf } from './next-action.js';

const AT = '2026-01-01T00:00:00.000Z';

function round(index: number, more: Partial<Round> = {}): Round {
  return { index, status: 'succeeded', text: '', calls: [], startedAt: AT, finishedAt: AT, ...more };
}
function calls(count: number): Round['calls'] {
  return Array.from({ length: count }, (_, n) => ({
    callId: `c${n}`,
    toolId: 'core:echo',
    arguments: {},
    status: 'running' as const,
  }));
}
function next(rounds: Round[], more: { limits?: Partial<AgentLimits>; child?: (typeof STATUSES)[number] } = {}) {
  const { limits, child } = more;
  return nextAction({ rounds, limits: { ...DEFAULT_AGENT_LIMITS, ...limits }, ...(child && { child }) });
}

describe('The next action of a turn', () => {
  it('A turn without rounds deliberates', () => {
    expect(next([])).toEqual({ do: 'deliberate', round: 0 });
  });

  it('A round that has begun and has no calls deliberates again', () => {
    expect(next([round(0, { status: 'running' })])).toEqual({ do: 'deliberate', round: 0 });
  });

  it('A round with calls and no child dispatches them', () => {
    expect(next([round(0, { status: 'running', calls: calls(2) })])).toEqual({ do: 'dispatch', round: 0 });
  });

  it.each(['queued', 'running', 'waiting_external'] as const)(
    'A turn waits while the child of its round is %s',
    (child) => {
      expect(next([round(0, { status: 'running', calls: calls(1) })], { child })).toEqual({ do: 'wait', round: 0 });
    },
  );

  it.each(['succeeded', 'failed', 'cancelled'] as const)('A round whose child is %s is observed', (child) => {
    expect(next([round(0, { status: 'running', calls: calls(1) })], { child })).toEqual({ do: 'observe', round: 0 });
  });

  it('The next round follows a round that ended with calls', () => {
    expect(next([round(0, { calls: calls(1) })])).toEqual({ do: 'deliberate', round: 1 });
  });

  it('A round that ended without calls ends the turn', () => {
    expect(next([round(0, { calls: calls(1) }), round(1)])).toEqual({ do: 'end', round: 1 });
  });

  it('A refused round is followed by a repair', () => {
    expect(next([round(0, { status: 'refused' })])).toEqual({ do: 'deliberate', round: 1 });
  });
});

describe('The limits of a turn', () => {
  const done = (count: number, each = 1) => Array.from({ length: count }, (_, n) => round(n, { calls: calls(each) }));
  const limitOf = (action: ReturnType<typeof next>) =>
    action.do === 'fail' ? [action.error.type, action.error.details] : action.do;

  it.each([
    [1, 'deliberate'],
    [2, 'deliberate'],
    [3, ['ResourceLimitError', { limit: 'maxRounds', value: 3 }]],
  ])('After %i of 3 rounds the turn does %j', (count, expected) => {
    expect(limitOf(next(done(count), { limits: { maxRounds: 3 } }))).toEqual(expected);
  });

  it.each([
    [2, 'dispatch'],
    [3, 'dispatch'],
    [4, ['ResourceLimitError', { limit: 'maxToolCalls', value: 5 }]],
  ])('A round with %i further calls after 2 of 5 does %j', (count, expected) => {
    const rounds = [...done(1, 2), round(1, { status: 'running', calls: calls(count) })];
    expect(limitOf(next(rounds, { limits: { maxToolCalls: 5 } }))).toEqual(expected);
  });

  it.each([
    [99, 'deliberate'],
    [100, ['ResourceLimitError', { limit: 'maxTokens', value: 100 }]],
    [101, ['ResourceLimitError', { limit: 'maxTokens', value: 100 }]],
  ])('After %i of 100 tokens the turn does %j', (used, expected) => {
    const rounds = [round(0, { calls: calls(1), usage: { total_tokens: used } })];
    expect(limitOf(next(rounds, { limits: { maxTokens: 100 } }))).toEqual(expected);
  });

  it('An answer counts even if it used more tokens than the limit', () => {
    expect(next([round(0, { usage: { total_tokens: 500 } })], { limits: { maxTokens: 100 } }).do).toBe('end');
  });

  it.each([
    [1, 'deliberate'],
    [2, 'deliberate'],
    [3, ['OutputError', { limit: 'maxRepairs', value: 2 }]],
  ])('After %i refused rounds in a row, with 2 repairs, the turn does %j', (count, expected) => {
    const refused = Array.from({ length: count }, (_, n) => round(n + 1, { status: 'refused', observation: 'no' }));
    expect(limitOf(next([...done(1), ...refused], { limits: { maxRepairs: 2 } }))).toEqual(expected);
  });

  it('A good round begins the count of repairs anew', () => {
    const rounds = [round(0, { status: 'refused' }), round(1, { calls: calls(1) }), round(2, { status: 'refused' })];
    expect(next(rounds, { limits: { maxRepairs: 1 } })).toEqual({ do: 'deliberate', round: 3 });
  });
});

describe('The usage of a turn', () => {
  it('The numbers of all rounds are summed by key', () => {
    expect(sumUsage([{ usage: { a: 1, b: 2 } }, {}, { usage: { a: 3 } }])).toEqual({ a: 4, b: 2 });
  });

  it('Without a total, the tokens of prompt and completion count', () => {
    expect(tokensOf([round(0, { usage: { prompt_tokens: 3, completion_tokens: 4 } })])).toBe(7);
  });

  it('A key of the prototype is a key like any other', () => {
    expect(sumUsage([{ usage: JSON.parse('{"__proto__": 3}') as Record<string, number> }])).toEqual(
      JSON.parse('{"__proto__": 3}'),
    );
  });
});

/** What a model answers in one round. */
type Answer = 'text' | 'wrong' | number;

/** A turn in memory: applies each action to what is stored, as the worker does. */
class StoredTurn {
  readonly writes: string[] = [];
  rounds: Round[] = [];
  child: 'absent' | 'running' | 'succeeded' = 'absent';

  constructor(
    private readonly answers: readonly Answer[],
    private readonly limits: AgentLimits,
  ) {}

  /** Runs at most `steps` actions, then dies. Returns whether the turn has ended. */
  run(steps: number): boolean {
    for (let n = 0; n < steps; n++) {
      const child = this.child === 'absent' ? undefined : this.child;
      const action = nextAction({ rounds: this.rounds, limits: this.limits, ...(child && { child }) });
      this.writes.push(`${action.do}${'round' in action ? ` ${action.round}` : ''}`);
      if (action.do === 'end' || action.do === 'fail') return true;
      this.apply(action.do, action.round);
    }
    return false;
  }

  private apply(what: string, n: number): void {
    const change = (more: Partial<Round>) => (this.rounds[n] = { ...(this.rounds[n] ?? round(n)), ...more });
    if (what === 'deliberate') {
      const answer = this.answers[n] ?? 'text';
      if (typeof answer === 'number') change({ status: 'running', calls: calls(answer) });
      else change({ status: answer === 'text' ? 'succeeded' : 'refused' });
    } else if (what === 'dispatch') this.child = 'running';
    else if (what === 'wait') this.child = 'succeeded';
    else {
      change({ status: 'succeeded' });
      this.child = 'absent';
    }
  }
}

describe('A turn that dies at any time', () => {
  const answers = fc.array(fc.oneof(fc.constant('wrong' as const), fc.integer({ min: 1, max: 3 })), { maxLength: 8 });

  it('A turn writes the same steps in the same order, and none twice, however often it dies', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 40 }), (script, lives) => {
        const whole = new StoredTurn(script, DEFAULT_AGENT_LIMITS);
        expect(whole.run(1_000)).toBe(true);
        const dying = new StoredTurn(script, DEFAULT_AGENT_LIMITS);
        // The process dies between two steps. The next process has only the stored data.
        for (const life of lives) if (dying.run(life)) break;
        if (dying.writes.at(-1) !== whole.writes.at(-1)) dying.run(1_000);
        expect([...new Set(dying.writes)]).toEqual(whole.writes);
        expect(new Set(whole.writes).size).toBe(whole.writes.length);
      }),
    );
  });
});
