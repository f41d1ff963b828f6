import { keys } from '../redis/names.js';
import { readWaitMember, waitIn, waitsOf } from './wait-index.js';

const wait = (over: object = {}, node: object = { nodeId: 'a' }) =>
  JSON.stringify({ ...node, status: 'waiting_external', waiting: { for: 'answer', until: null, ...over } });
const owner = { id: 'inv_1', tenant: 'acme' };

describe('The waits of a state', () => {
  it('A turn or node that waits for the answer to its child has no wait of its own', () => {
    expect(waitIn('0', wait({ invocationId: 'inv_2' }, {}))).toBeUndefined();
    expect(waitIn('0/a', wait({ invocationId: 'inv_2', key: 'a' }))).toBeUndefined();
    expect(waitIn('0', wait({ for: 'invocation', invocationId: 'inv_2' }, {}))).toBeUndefined();
  });

  it('A result that looks like a wait is none', () => {
    expect(waitIn('0', JSON.stringify({ status: 'succeeded', result: '"waiting":' }))).toBeUndefined();
    expect(waitIn('progress', '0.5')).toBeUndefined();
  });

  it('The members sort by deadline, and name the invocation and the field of the state', () => {
    const state = new Map([
      ['0/a', wait({ key: 'a:1' })],
      ['0/b: c', wait({ key: 'b: c:1', until: '2026-01-01T00:00:00.000Z' }, { nodeId: 'b: c' })],
      ['1', wait({}, {})],
    ]);
    const { index, fields, members } = JSON.parse(waitsOf(keys, owner, state)) as Record<string, string[]>;
    expect(index).toBe('{errand}:index:acme:inbox');
    expect(fields).toEqual(['0/b: c:1', '0/a:1', '1']);
    expect(members?.map(readWaitMember)).toEqual([
      { id: 'inv_1', stateField: '0/b: c' },
      { id: 'inv_1', stateField: '0/a' },
      { id: 'inv_1', stateField: '1' },
    ]);
  });

  it('A state without waits stores nothing', () => {
    expect(waitsOf(keys, owner, new Map([['progress', '1']]))).toBe('');
  });
});
