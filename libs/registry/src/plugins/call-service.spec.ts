import type { JsonObject } from '@errand/contracts';
import { checkService } from './call-service.js';

const context = { signal: new AbortController().signal };

class Base {
  inherited() {
    return 'inherited';
  }
}

class Methods extends Base {
  // Arrow functions as class fields are own properties.
  open = () => 'open';
  _private = () => 'private';
  #hidden = () => 'hidden';
  counted = () => this.#hidden();
}

test('Only own public functions of a service can be called', () => {
  const { methods } = checkService({ name: 's', methods: new Methods() }, 0);
  expect(Object.keys(methods)).toEqual(['open', 'counted']);
  for (const name of ['inherited', '_private', 'constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    expect(methods[name]).toBeUndefined();
  }
  expect(methods.counted!({}, context)).toBe('hidden');
  expect(Object.isFrozen(methods)).toBe(true);
});

test('A method can call other methods of its service', () => {
  const methods = {
    one: () => 1,
    two() {
      return this.one() + 1;
    },
  };
  expect(checkService({ name: 's', methods }, 0).methods.two!({}, context)).toBe(2);
});

describe('The arguments of a service method', () => {
  const seen: JsonObject[] = [];
  const { methods, parameters } = checkService(
    {
      name: 'store',
      methods: { put: (args: JsonObject) => seen.push(args), any: (args: JsonObject) => seen.push(args) },
      parameters: {
        put: { properties: { key: { type: 'string' }, ttl: { type: 'integer', defaultValue: 5 } }, required: ['key'] },
      },
    },
    0,
  );

  it('Valid arguments are completed with defaults and passed on', () => {
    void methods.put!({ key: 'a' }, context);
    expect(seen.pop()).toEqual({ key: 'a', ttl: 5 });
    expect(parameters.put).toMatchObject({ type: 'object', required: ['key'] });
  });

  it('Invalid arguments are refused', () => {
    expect(() => methods.put!({ kee: 'a' }, context)).toThrow(
      /Invalid arguments for store.put: .*Unknown parameter 'kee'/,
    );
    expect(seen).toEqual([]);
  });

  it('Arguments of a method without a schema are passed on unchanged', () => {
    void methods.any!({ whatever: 1 }, context);
    expect(seen.pop()).toEqual({ whatever: 1 });
  });
});

test.each<[service: unknown, message: RegExp]>([
  [null, /number 1 has no 'name'/],
  [{ name: 's' }, /must have 'methods' that are functions/],
  [{ name: 's', methods: { a: 1 } }, /must have 'methods' that are functions/],
  [{ name: 's', methods: { a: () => 1 }, parameters: { b: {} } }, /'s.b' belong to no method/],
  [{ name: 's', methods: { a: () => 1 }, parameters: { a: 5 } }, /'s.a' must be a JSON Schema/],
  [
    { name: 's', methods: { a: () => 1 }, parameters: { a: { properties: { x: { type: 'txt' } } } } },
    /'s.a' are not valid/,
  ],
])('The service %j is refused', (service, message) => {
  expect(() => checkService(service, 0)).toThrow(message);
});
