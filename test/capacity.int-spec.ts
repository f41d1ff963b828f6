import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
}

/** The value of an expression with functions of an ES module of bench/, in a process of its own. */
function evaluate(module: string, expression: string): unknown {
  const program = `import * as it from './bench/${module}'; console.log(JSON.stringify(${expression}));`;
  const { stdout, stderr } = run('--input-type=module', '--eval', program);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const COSTS = {
  api: 300,
  worker: 150,
  runner: 0,
  redis: 200,
  bytes: 10_000,
  memory: { waiting: { bytes: 2_000 }, ended: { bytes: 3_000 } },
  notifications: { perInvocation: 2, sendUs: 1, receiveUs: 2 },
};
const ASSUMED = {
  busy: 0.5,
  meanMs: 100,
  slots: 100,
  kept: 100_000,
  connections: 4,
  perCell: 10_000,
  maxClients: 10_000,
  maxNodes: 500,
};
const [costs, assumed] = [JSON.stringify(COSTS), JSON.stringify(ASSUMED)];

describe('The capacity plan', () => {
  it('A plan has as many processes as the CPU time, the slots and the notifications need', () => {
    // 10,000 a second cost each process 40,000 µs for notifications, of 500,000.
    expect(evaluate('capacity/plan.mjs', `it.planCell(10_000, ${costs}, ${assumed})`)).toMatchObject({
      api: Math.ceil(3_000_000 / 460_000),
      workers: 20,
      runners: 0,
      shards: Math.ceil((10_000 * (200 + 2 * 27)) / 500_000),
      memoryGb: 0.3,
      connections: 27 * 4,
    });
    expect(evaluate('capacity/plan.mjs', `it.planFor(25_000, ${costs}, ${assumed}).cells`)).toBe(3);
  });

  it('A cell whose processes only receive notifications has no size that is enough', () => {
    const rate = `it.planCell(130_000, ${costs}, ${assumed})`;
    expect(evaluate('capacity/plan.mjs', `[${rate}.api === Infinity, ${rate}.shards === Infinity]`)).toEqual([
      true,
      true,
    ]);
  });

  it('The bounds begin with the one that is reached first, and each names what helps', () => {
    const bounds = evaluate('capacity/plan.mjs', `it.boundsOf(${costs}, ${assumed})`) as [string, number, string][];
    expect(bounds[0]?.[0]).toBe('one API process');
    const rates = bounds.map(([, rate]) => rate);
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
    expect(bounds.find(([what]) => what.startsWith('notifications'))?.[1]).toBe(62_500);
    expect(bounds.every(([, , help]) => help.length > 0)).toBe(true);
  });

  it('The command prints a plan from the recorded costs for each rate, and the page has its numbers', () => {
    const { status, stdout, stderr } = run('bench/capacity.mjs', '--rates', '50,4000');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\| 50 \| 1 \|/m);
    expect(stdout).toMatch(/^\| 4,000 \| 1 \|/m);
    const page = readFileSync(join(ROOT, 'docs/capacity.md'), 'utf8');
    expect(page).toMatch(/<!-- numbers of bench\/capacity.mjs -->[^]*\| 1,000,000 \|[^]*<!-- end of the numbers -->/);
  });

  it.each([
    [['--busy', '2'], '--busy must be a number above 0, up to 1'],
    [['--rates', '10,many'], '--rates must be a number above 0'],
    [['--workload', 'endless'], "'endless, 10,000 tenants' is not a workload; bench/cost/recorded.json has: "],
  ])('The wrong option %j is refused with what is right', (args, message) => {
    const { status, stderr } = run('bench/capacity.mjs', ...args);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe('The simulation of shards', () => {
  const SMALL = ['bench/simulate.mjs', '--shards', '10', '--simulated', '1', '--per-second', '5000', '--seconds', '8'];
  const FIXED = [...SMALL, '--store-us', '70', '--take-us', '110'];
  let first: ReturnType<typeof run>;
  beforeAll(() => {
    first = run(...FIXED);
  });
  /** The waits `[p50, p95, p99]` in ms of a class of tenants in a row. */
  const waitsOf = (stdout: string, row: string, column: number) => {
    const cells = stdout
      .split('\n')
      .find((line) => line.startsWith(`| ${row}`))
      ?.split(' | ');
    return (cells?.[column] ?? '').split(' / ').map((ms) => Number(ms.replaceAll(/[,|\s]/g, '')));
  };

  it('Equal seeds print equal numbers, and another seed prints others', () => {
    const [again, other] = [run(...FIXED), run(...FIXED, '--seed', '2')];
    expect(first.status).toBe(0);
    expect(again.stdout).toBe(first.stdout);
    expect(other.stdout).not.toBe(first.stdout);
  });

  it('Light tenants wait far shorter beside a flood than without fair admission, and more load than Redis can do piles up', () => {
    const { stdout } = first;
    const [fair] = waitsOf(stdout, 'the same, and one tenant', 3);
    const [unfair] = waitsOf(stdout, 'the same flood', 3);
    expect(fair).toBeGreaterThan(0);
    expect(unfair).toBeGreaterThan(20 * (fair ?? Infinity));
    expect(stdout).toContain('one Redis can do 5,556 invocations a second');
    const [usual] = waitsOf(stdout, '13,889', 2);
    const [tooMuch] = waitsOf(stdout, '61,111', 2);
    expect(tooMuch).toBeGreaterThan(20 * (usual ?? Infinity));
  });

  it('Without other numbers it uses the recorded costs of Redis', () => {
    const recorded = JSON.parse(readFileSync(join(ROOT, 'bench/cost/recorded.json'), 'utf8')) as {
      cpu: Record<string, { Redis: number }>;
    };
    const stored = recorded.cpu['accepting, 10,000 tenants']?.Redis;
    expect(run(...SMALL).stdout).toContain(`Redis needs ${stored} µs to store an invocation`);
  });

  it('A size that is not a number is refused', () => {
    const { status, stderr } = run('bench/simulate.mjs', '--shards', 'many');
    expect([status, stderr]).toEqual([1, expect.stringContaining("--shards must be a number above 0, not 'many'")]);
  });
});

describe('The goals table', () => {
  it('A goal is met by the median of its runs, and one that is not met has its reason', () => {
    const goals = JSON.stringify([
      { id: 'rate', what: 'rate / bare', least: 0.9, reason: 'nobody knows' },
      { id: 'wait', what: 'wait / idle', most: 2, reason: 'out of CPU' },
      { id: 'memory', what: 'memory / raw', most: 1, reason: 'new' },
    ]);
    const notes = '{"id":"rate","runs":[0.7,0.95,1.1]}\n{"id":"wait","runs":[2.5,2.1,1.9]}\n';
    const text = evaluate('goals/goal-table.mjs', `it.goalTable(${goals}, it.readNotes(${JSON.stringify(notes)}))`);
    expect(text).toContain('| rate / bare | ≥ 0.9 | 0.95 | 0.70–1.10, 3 runs | yes |');
    expect(text).toContain('| wait / idle | ≤ 2 | 2.10 | 1.90–2.50, 3 runs | **no** |');
    expect(text).toContain('| memory / raw | ≤ 1 | not measured |  |  |');
    expect(text).toContain('- _wait / idle_ (wait): out of CPU');
    expect(text).not.toContain('nobody knows');
  });

  it('A goal for nine of ten runs is met if so many reach it, whatever the median', () => {
    const goals = JSON.stringify([
      { id: 'nine', what: 'nine of ten', least: 0.9, nineOfTen: true, reason: 'noise' },
      { id: 'eight', what: 'eight of ten', least: 0.9, nineOfTen: true, reason: 'noise' },
    ]);
    const measured = JSON.stringify({ nine: [0.1, ...Array(9).fill(1)], eight: [0.1, 0.2, ...Array(8).fill(1)] });
    const text = evaluate('goals/goal-table.mjs', `it.goalTable(${goals}, ${measured})`);
    expect(text).toContain('| nine of ten | ≥ 0.9 in nine of ten runs | 1.00 | 0.10–1.00, 10 runs | yes |');
    expect(text).toContain('| eight of ten | ≥ 0.9 in nine of ten runs | 1.00 | 0.10–1.00, 10 runs | **no** |');
  });

  it('A goal that another machine did not meet shows its number there and the reason, although it is met here', () => {
    const goals = JSON.stringify([{ id: 'rate', what: 'rate / bare', least: 0.9, reason: 'few cores' }]);
    const text = evaluate('goals/goal-table.mjs', `it.goalTable(${goals}, { rate: [1] }, { rate: '0.8 on one core' })`);
    expect(text).toContain('| rate / bare | ≥ 0.9 | 1.00 | 1.00–1.00, 1 runs | yes |');
    expect(text).toContain('- _rate / bare_ (rate): 0.8 on one core. few cores');
    expect(text).not.toContain('Why a goal is not met');
  });

  it('Each goal has one aim, a reason and an id that a benchmark notes', () => {
    const goals = evaluate('goals/goals.mjs', 'it.GOALS') as {
      id: string;
      most?: number;
      least?: number;
      reason: string;
    }[];
    expect(new Set(goals.map(({ id }) => id)).size).toBe(goals.length);
    for (const { most, least, reason } of goals) {
      expect([most, least].filter((aim) => aim !== undefined)).toHaveLength(1);
      expect(reason).not.toBe('');
    }
  });
});
