import type { Json, JsonObject } from '@errand/contracts';
import { valueAtPath, withValueAt } from './state-path.js';

const STATE: JsonObject = { lamp: { on: true }, items: [{ name: 'key' }, 'rope'], mood: 'calm', none: null };

describe('A path of a state', () => {
  it.each<[path: string, value: Json | undefined]>([
    ['', STATE],
    ['lamp.on', true],
    ['items.0.name', 'key'],
    ['items.1', 'rope'],
    ['none', null],
    ['items.2', undefined],
    ['items.length', undefined],
    ['items.01', undefined],
    ['items.-1', undefined],
    ['mood.length', undefined],
    ['none.x', undefined],
    ['__proto__', undefined],
    ['constructor.name', undefined],
    ['lamp..on', undefined],
  ])('The path %j finds its value and no inherited one', (path, value) => {
    expect(valueAtPath(STATE, path)).toEqual(value);
  });

  it.each<[path: string, value: Json, changed: JsonObject]>([
    ['mood', 'angry', { ...STATE, mood: 'angry' }],
    ['lamp.colour', 'red', { ...STATE, lamp: { on: true, colour: 'red' } }],
    ['a.b.c', [1], { ...STATE, a: { b: { c: [1] } } }],
    ['none.x', 1, { ...STATE, none: { x: 1 } }],
    ['items.1', 'axe', { ...STATE, items: [{ name: 'key' }, 'axe'] }],
    ['items.2', 'axe', { ...STATE, items: [{ name: 'key' }, 'rope', 'axe'] }],
    ['items.0.name', 'lock', { ...STATE, items: [{ name: 'lock' }, 'rope'] }],
    ['', { new: 1 }, { new: 1 }],
  ])('A value at the path %j is set in a copy of the state', (path, value, changed) => {
    const before = structuredClone(STATE);
    expect(withValueAt(STATE, path, value)).toEqual(changed);
    expect(STATE).toEqual(before);
  });

  it.each<[path: string, value: Json, message: string]>([
    ['mood.level', 1, 'The value at "mood" is a text and has no keys: set "mood" to an object first'],
    ['lamp.on.x.y', 1, 'The value at "lamp.on" is a boolean'],
    ['items.4', 1, 'The list at "items" has the positions 0 to 2, and not "4"'],
    ['items.length', 1, 'and not "length"'],
    ['', 'text', 'The whole state must be an object'],
  ])('The path %j that cannot be set is refused with the reason', (path, value, message) => {
    expect(() => withValueAt(STATE, path, value)).toThrow(message);
  });

  it.each(['__proto__.admin', 'constructor.prototype.admin', 'lamp.__proto__.admin'])(
    'The path %j is data and changes no prototype',
    (path) => {
      const changed = withValueAt(STATE, path, true);
      expect(valueAtPath(changed, path)).toBe(true);
      expect(valueAtPath(JSON.parse(JSON.stringify(changed)) as JsonObject, path)).toBe(true);
      expect(({} as JsonObject)['admin']).toBeUndefined();
    },
  );

  it('A path of 10,000 keys is read without a deep recursion', () => {
    expect(valueAtPath(STATE, 'x.'.repeat(10_000))).toBeUndefined();
  });
});
