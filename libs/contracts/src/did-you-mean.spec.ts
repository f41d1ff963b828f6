import { didYouMean, workflowMeant } from './did-you-mean.js';

describe('didYouMean', () => {
  it.each([
    ['playerId', ['player_id', 'name'], 'player_id'],
    ['GetPlayerInf', ['GetPlayerInfo', 'GetWorldInfo'], 'GetPlayerInfo'],
    ['core:ecoh', ['core:echo', 'core:math'], 'core:echo'],
    ['txt', ['text', 'top'], 'text'],
    ['COLOUR', ['color'], 'color'],
    ['nmae', ['name', 'age'], 'name'],
  ])('For %s among %j, didYouMean suggests %s', (name, candidates, expected) => {
    expect(didYouMean(name, candidates)).toBe(expected);
  });

  it.each([
    ['z', ['y']],
    ['banana', ['core:echo']],
    ['abc', ['bca']],
    ['stop', ['post']],
    ['', ['a']],
    ['x'.repeat(500), ['x'.repeat(499)]],
    ['anything', []],
  ])('didYouMean suggests nothing for %j among %j', (name, candidates) => {
    expect(didYouMean(name, candidates)).toBeUndefined();
  });
});

test('workflowMeant accepts the id of a workflow and the id of its tool', () => {
  expect(workflowMeant('workflow:greet', ['ask', 'greet'])).toBe('greet');
  expect(workflowMeant('gret', ['ask', 'greet'])).toBe('greet');
});
