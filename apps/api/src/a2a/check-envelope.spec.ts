import { checkEnvelope, idOf, versionOf } from './check-envelope.js';

it.each([
  [undefined, '0.3'],
  ['', '0.3'],
  [' ', '0.3'],
  ['0.3', '0.3'],
  ['0.3.0', '0.3'],
  ['1.0', '1.0'],
  ['1.0.2', '1.0'],
  ['1.1', undefined],
  ['2.0', undefined],
  ['1.0, 0.3', undefined],
  ['x', undefined],
])('The header A2A-Version %j asks for %j', (header, version) => {
  expect(versionOf(header)).toBe(version);
});

it('A correct envelope is passed on, with null for a missing id', () => {
  expect(checkEnvelope({ jsonrpc: '2.0', method: 'GetTask' })).toEqual({ jsonrpc: '2.0', method: 'GetTask', id: null });
});

it.each([[1.5], [true], [{}], [[]], [2 ** 60]])('The id %j is refused, and the response has the id null', (id) => {
  const body = { jsonrpc: '2.0', method: 'GetTask', id };
  expect(checkEnvelope(body)).toMatchObject({ error: { code: -32600 } });
  expect(idOf(body)).toBeNull();
});

it.each(['x', 7, null])('The id %j comes back', (id) => {
  expect(idOf({ id })).toBe(id);
});
