import type { Json, JsonObject } from '@errand/contracts';
import { runCoreNode, SHORT_COMPUTATIONS } from '../test/run-core-node.js';

const evaluate = (expression: string, data: JsonObject = {}) => runCoreNode('core:expression', { expression, data });

const DATA: JsonObject = {
  a: 7,
  b: 2.5,
  name: 'Ada',
  flag: true,
  none: null,
  list: [3, 1, 2],
  type: 'given',
  'odd name': 1,
  user: { name: 'Ada', tags: ['x', 'y'], 'odd key': 1 },
};

describe('core:expression', () => {
  it.each<[string, Json]>([
    // numbers from JSON and numbers in the expression can be mixed
    ['a + 1', 8],
    ['1 + a', 8],
    ['a - 1', 6],
    ['a * 2', 14],
    ['a / 2', 3.5],
    ['a % 4', 3],
    ['a % b', 2],
    ['b % 2', 0.5],
    ['-a', -7],
    ['size(list) + b', 5.5],
    ['size(list) * a', 21],
    ['a == 7 && 7 == a && a != 8', true],
    ['a > 6 && 6 < a', true],
    ['a in [1, 7]', true],
    ['3 in list', true],
    ['list[0] + list[size(list) - 1]', 5],
    ['list[a - 6]', 1],
    // whole numbers in the expression keep the CEL rules
    ['7 / 2', 3],
    ['7.0 / 2.0', 3.5],
    ['7 % 2', 1],
    // other parts of the language
    ["name + '!'", 'Ada!'],
    ["name + ' is ' + string(a)", 'Ada is 7'],
    ["flag ? 'yes' : 'no'", 'yes'],
    ['none == null', true],
    ['user.name', 'Ada'],
    ["user['odd key']", 1],
    ['has(user.mail)', false],
    ['has(user.name)', true],
    ["user.tags.exists(t, t == 'x')", true],
    ['list.all(n, n > 0)', true],
    ['list.map(n, n * 2)', [6, 2, 4]],
    ['list.filter(n, n > 1)', [3, 2]],
    ["name.startsWith('A') && name.contains('d')", true],
    ["'aé😀'.size()", 3],
    ["'a,b'.split(',')", ['a', 'b']],
    ["{'n': a, 'l': [1, 'two', null]}", { n: 7, l: [1, 'two', null] }],
    ['list', [3, 1, 2]],
    ['sum(list)', 6],
    ['min(list)', 1],
    ['max(list)', 3],
    ['round(b)', 3],
    ['floor(b) + ceil(b) + abs(-1)', 6],
    ["timestamp('2026-01-31T09:30:00Z') + duration('1h')", '2026-01-31T10:30:00.000Z'],
    ["timestamp('2026-01-31T09:30:00Z').getFullYear()", 2026],
    ['cel.bind(x, a + 1, x * x)', 64],
    ["'ab'.matches('^a.$')", true],
    ["'__proto__' in user", false],
    ["data['odd name']", 1],
    ['size(data)', 9],
    // input names that are also CEL types are inputs
    ["type == 'given'", true],
    ['type(a) == double', true],
    ['list.map(type, type * 2)', [6, 2, 4]],
  ])('The expression %s has the value %j', async (expression, expected) => {
    await expect(evaluate(expression, DATA)).resolves.toEqual(expected);
  });

  it.each([
    ['a +', 'ParameterValidationError', "'expression' is not a CEL expression: Unexpected token: EOF at character 4"],
    ['', 'ParameterValidationError', 'is not a CEL expression'],
    ['a = 1', 'ParameterValidationError', 'is not a CEL expression'],
    ['process.exit(1)', 'NodeError', "found no matching overload for 'dyn.exit(int)'"],
    ['process.env', 'NodeError', 'Unknown variable: process'],
    ['nam', 'NodeError', "Unknown variable: nam; a text needs quotes ('…'), and the known names are: data, a, b, name"],
    ['toString', 'NodeError', 'Unknown variable: toString'],
    ['constructor', 'NodeError', 'Unknown variable: constructor'],
    ['user.constructor', 'NodeError', 'No such key: constructor'],
    ['user.__proto__', 'NodeError', 'No such key: __proto__'],
    ['name.constructor', 'NodeError', 'No such key: constructor'],
    ['user.mail', 'NodeError', 'No such key: mail; write has(a.b) to test'],
    ['list[9]', 'NodeError', 'index 9 >= size 3'],
    ['name + a', 'NodeError', 'write string(…) around the number'],
    ['a && flag', 'NodeError', 'compare it, as in item.count > 0'],
    ['a < name', 'NodeError', 'no such overload'],
    ['1 / 0', 'NodeError', 'division by zero'],
    ['a / 0', 'NodeError', 'not a finite number'],
    ["b'abc'", 'NodeError', '.base64()'],
    ['type(a)', 'NodeError', 'not a JSON value'],
    ['9007199254740993', 'NodeError', 'too large for a JSON number; write string(…)'],
    ['nope(a)', 'NodeError', 'nope'],
    ['sum(user.tags)', 'NodeError', 'sum() needs a list of numbers'],
    ['max([])', 'NodeError', 'an empty list has neither'],
    ['name.substring(b)', 'NodeError', 'write int(…) around a number'],
    ["'x'.matches('(')", 'NodeError', 'Invalid regular expression'],
    ['('.repeat(100) + '1' + ')'.repeat(100), 'ParameterValidationError', 'maxDepth'],
    ['1 + '.repeat(1500) + '1', 'ParameterValidationError', 'longer than 4000 characters'],
    ['list.map(i, '.repeat(20) + '1' + ')'.repeat(20), 'ParameterValidationError', ''],
  ])('The expression %s is refused: %s %s', async (expression, type, message) => {
    await expect(evaluate(expression, DATA)).rejects.toMatchObject({ type, message: expect.stringContaining(message) });
  });

  it.each([
    ['nested loops', 'l.map(a, l.map(b, l.map(c, a + b + c)))', { l: Array.from({ length: 1000 }, (_, i) => i) }],
    ['a pattern that backtracks', "t.matches('^(a+)+$')", { t: `${'a'.repeat(40)}!` }],
  ])('The computation is stopped: %s', async (_what, expression, data) => {
    const evaluation = runCoreNode('core:expression', { expression, data }, SHORT_COMPUTATIONS);
    await expect(evaluation).rejects.toMatchObject({ type: 'TimeoutError' });
  });

  it('Inputs may have the names of CEL functions and types', async () => {
    const names = ['cel', 'list', 'map', 'string', 'int', 'double', 'bool', 'bytes', 'type', 'google', 'data'];
    const data = Object.fromEntries(names.map((name) => [name, name]));
    await expect(evaluate(names.join(' + '), data)).resolves.toBe(names.join(''));
  });

  it.each([
    ['a text', `${'[x + x + x + x].map(x, '.repeat(8)}x${')'.repeat(8)}`],
    ['a list', `${'[[x, x, x, x, x, x, x, x]].map(x, '.repeat(9)}x${')'.repeat(9)}`],
  ])('A computation that doubles %s repeatedly is stopped', async (_what, expression) => {
    await expect(evaluate(expression, { x: 'a'.repeat(1000) })).rejects.toMatchObject({ type: 'ResourceLimitError' });
  });
});

describe('The nodes that evaluate an expression for each item', () => {
  const PEOPLE = [
    { name: 'Tim', age: 9, city: 'Oslo' },
    { name: 'Ada', age: 36, city: 'London' },
    { name: 'Bo', age: 9, city: 'Oslo' },
  ];
  const [tim, ada, bo] = PEOPLE;

  it.each<[string, JsonObject, Json]>([
    ['core:filter', { items: PEOPLE, condition: 'item.age > 9' }, [ada!]],
    ['core:filter', { items: PEOPLE, condition: 'index != 1' }, [tim!, bo!]],
    ['core:filter', { items: [], condition: 'false' }, []],
    ['core:filter', { items: [null, 0, ''], condition: 'item != null' }, [0, '']],
    ['core:map', { items: PEOPLE, expression: "item.name + ' ' + string(index)" }, ['Tim 0', 'Ada 1', 'Bo 2']],
    ['core:map', { items: [1, 2], expression: "{'n': item + 1}" }, [{ n: 2 }, { n: 3 }]],
    ['core:map', { items: [], expression: 'item.x' }, []],
    ['core:sort', { items: PEOPLE, by: 'item.age' }, [tim!, bo!, ada!]],
    ['core:sort', { items: PEOPLE, by: 'item.age', order: 'desc' }, [ada!, tim!, bo!]],
    ['core:sort', { items: PEOPLE, by: '[item.city, item.name]' }, [ada!, bo!, tim!]],
    ['core:sort', { items: [10, 9, -1, 1.5] }, [-1, 1.5, 9, 10]],
    ['core:sort', { items: ['b', 'B', 'ä', 'a'] }, ['B', 'a', 'b', 'ä']],
    ['core:sort', { items: [{}, [], 'x', 1, true, null, false] }, [null, false, true, 1, 'x', [], {}]],
    ['core:group', { items: PEOPLE, by: 'item.city' }, { Oslo: [tim!, bo!], London: [ada!] }],
    ['core:group', { items: [1, 2, 1] }, { 1: [1, 1], 2: [2] }],
    ['core:group', { items: [], by: 'item.x' }, {}],
    ['core:dedupe', { items: PEOPLE, by: 'item.age' }, [tim!, ada!]],
    [
      'core:dedupe',
      { items: [1, '1', 1, { a: 1, b: 2 }, { b: 2, a: 1 }, [1], null, null] },
      [1, '1', { a: 1, b: 2 }, [1], null],
    ],
    ['core:aggregate', { items: PEOPLE, op: 'sum', by: 'item.age' }, 54],
    ['core:aggregate', { items: [], op: 'sum' }, 0],
    ['core:aggregate', { items: [1, 2], op: 'average' }, 1.5],
    ['core:aggregate', { items: [3, 1, 2], op: 'median' }, 2],
    ['core:aggregate', { items: [4, 1, 2, 3], op: 'median' }, 2.5],
    ['core:aggregate', { items: [3, -1, 2], op: 'min' }, -1],
    ['core:aggregate', { items: [3, 1, 2], op: 'max' }, 3],
  ])('The result of %s for %j is %j', async (type, args, expected) => {
    await expect(runCoreNode(type, args)).resolves.toEqual(expected);
  });

  it('core:group can group under any name', async () => {
    const groups = await runCoreNode('core:group', { items: ['__proto__', 'constructor'] });
    expect(Object.entries(groups as JsonObject)).toEqual([
      ['__proto__', ['__proto__']],
      ['constructor', ['constructor']],
    ]);
  });

  it.each<[string, JsonObject, string, string]>([
    ['core:filter', { items: [1], condition: 'item' }, 'NodeError', "'condition' must give true or false, got 1"],
    ['core:filter', { items: [{ a: 1 }, {}], condition: 'item.a > 0' }, 'NodeError', 'No such key: a'],
    ['core:filter', { items: [{ a: 1 }, {}], condition: 'item.a > 0' }, 'NodeError', '(at item 1)'],
    ['core:filter', { items: [1], condition: 'x > 0' }, 'NodeError', 'the known names are: item, index'],
    [
      'core:map',
      { items: [1], expression: 'item +' },
      'ParameterValidationError',
      "'expression' is not a CEL expression",
    ],
    ['core:map', { items: 'x', expression: 'item' }, 'ParameterValidationError', 'must be a list, got a string'],
    ['core:sort', { items: [], order: 'up' }, 'ParameterValidationError', "'order' must be one of asc, desc"],
    ['core:aggregate', { items: [1, 'x'], op: 'sum' }, 'ParameterValidationError', 'item 1 is not a number but "x"'],
    ['core:aggregate', { items: [], op: 'average' }, 'NodeError', 'an empty list has no such number'],
  ])('The node %s refuses %j: %s %s', async (type, args, errorType, message) => {
    await expect(runCoreNode(type, args)).rejects.toMatchObject({
      type: errorType,
      message: expect.stringContaining(message),
    });
  });

  it('The nodes process lists of 5,000 items', async () => {
    const items = Array.from({ length: 5_000 }, (_, index) => ({ n: index % 100, index }));
    const kept = (await runCoreNode('core:filter', { items, condition: 'item.n == 7' })) as Json[];
    expect(kept.length).toBe(50);
    const grouped = (await runCoreNode('core:group', { items, by: 'item.n' })) as JsonObject;
    expect(Object.keys(grouped).length).toBe(100);
  });
});
