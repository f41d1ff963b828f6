import { LOG_START } from '@errand/queue';
import { formatPosition, parsePosition, type FeedPosition } from './feed-position.js';

const POSITION: FeedPosition = {
  changes: new Map([
    ['{errand}', 1_795_000_000_000_123],
    ['{errand.17}', 5],
  ]),
  log: '1795000000000-3',
  at: 1_795_000_000_000,
  followed: new Map([['inv_00000000000000000000', { number: 12, status: 'running', step: 'running' }]]),
};

describe('The position of a client in the feed', () => {
  it('A position is the same after it was written and read', () => {
    expect(parsePosition(formatPosition(POSITION))).toEqual(POSITION);
    const empty = { changes: new Map(), log: LOG_START, at: 1, followed: new Map() };
    expect(parsePosition(formatPosition(empty))).toEqual(empty);
  });

  it.each([
    '',
    'x',
    '12-running',
    '%%%',
    'A'.repeat(20_000),
    ...[
      'f1',
      'f2|||1|',
      'f1|||1|inv_x=1',
      'f1|a|||',
      'f1|a=-1||1|',
      'f1|a=1|0|1|',
      'f1|a{}=1||1|',
      'f1|__proto__||1|',
    ].map((text) => Buffer.from(text).toString('base64url')),
  ])('The text %s is no position', (text) => {
    expect(parsePosition(text)).toBeUndefined();
  });
});
