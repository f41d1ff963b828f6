import { formatBytes, formatCount, formatDistance, formatDuration, formatTime, plural } from './format.js';

describe('Shown numbers', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [3_240, '3.2 s'],
    [42_000, '42 s'],
    [60_000, '1 min'],
    [252_000, '4 min 12 s'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
    [-5, '0 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [9_949, '9.9 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [3_599_600, '1 h'],
    [86_399_700, '1 d'],
  ])('A duration of %d ms is %s', (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });

  it('A distance says whether it is before or after now', () => {
    const now = new Date('2026-01-01T12:00:00Z');
    expect(formatDistance(new Date('2026-01-01T12:04:12Z'), now)).toBe('in 4 min 12 s');
    expect(formatDistance(new Date('2026-01-01T11:59:00Z'), now)).toBe('1 min ago');
  });

  it('A time of another day names the day', () => {
    const now = new Date(2026, 5, 10, 12, 0, 0);
    expect(formatTime(new Date(2026, 5, 10, 9, 0, 0), now)).not.toMatch(/Jun/);
    expect(formatTime(new Date(2026, 5, 9, 9, 0, 0), now)).toMatch(/Jun 9|9 Jun/);
    expect(formatTime(new Date(2025, 5, 9, 9, 0, 0), now)).toMatch(/2025/);
  });

  it('Counts have separators, sizes have units', () => {
    expect(formatCount(1_234_567)).toBe('1,234,567');
    expect([0, 812, 65_536, 1_572_864].map(formatBytes)).toEqual(['0 B', '812 B', '64 KB', '1.5 MB']);
    expect([1_023, 1_024, 10_235, 1_048_575].map(formatBytes)).toEqual(['1023 B', '1.0 KB', '10 KB', '1.0 MB']);
  });

  it('One thing has the words for one, and any other number those for many', () => {
    expect([0, 1, 2].map((count) => plural(count, 'line', 'lines'))).toEqual(['lines', 'line', 'lines']);
  });
});
