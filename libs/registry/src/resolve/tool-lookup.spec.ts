import { toolLookupOf } from './tool-lookup.js';

const book = toolLookupOf([
  {
    toolId: 'GetPlayerInfo',
    description: 'd',
    parameters: {
      properties: { player_id: { type: 'string' }, full: { type: 'boolean', defaultValue: false } },
      required: ['player_id'],
    },
  },
  { toolId: 'Broken', parameters: { properties: { a: { type: 'nothing' } } } },
  { toolId: 'Bare' },
]);

test('Temporary tools are found and suggested', () => {
  expect(book.find('GetPlayerInfo')).toMatchObject({
    toolId: 'GetPlayerInfo',
    description: 'd',
    parameters: { type: 'object' },
  });
  expect(book.find('GetPlayerInfo')).toBe(book.find('GetPlayerInfo'));
  expect(book.find('constructor')).toBeUndefined();
  expect(book.suggest('GetPlayerInf')).toBe('GetPlayerInfo');
});

test('The arguments of a temporary tool are validated', () => {
  const tool = book.find('GetPlayerInfo')!;
  expect(book.validate(tool, { player_id: 'p' })).toEqual({ arguments: { player_id: 'p', full: false }, problems: [] });
  expect(book.validate(tool, { playerId: 'p' }).problems).toHaveLength(2);
  expect(book.validate(book.find('Bare')!, { x: 1 }).problems).toEqual([
    { path: '/x', message: "Unknown parameter 'x'" },
  ]);
});

test('A wrong schema of a temporary tool is reported when it is used', () => {
  expect(book.validate(book.find('Broken')!, { a: 1 }).problems).toEqual([
    {
      path: '',
      message: expect.stringMatching(/^The parameters of Broken cannot be checked: 'properties.a.type' must be one of/),
    },
  ]);
});
