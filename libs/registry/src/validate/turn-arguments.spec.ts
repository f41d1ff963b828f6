import type { JsonObject } from '@errand/contracts';
import { loadAgent } from '../../test/agent-library.js';

async function problemsOf(args: JsonObject) {
  const registry = await loadAgent();
  return registry.validate(registry.find('agent:guide')!, args).problems;
}

const message = 'Hi';
const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `t${index}` }));
const entries = (count: number) => Array.from({ length: count }, () => ({ description: 'd', value: null }));
const KIB_256 = 256 * 1024;

describe('The arguments of an agent', () => {
  it.each<[string, JsonObject]>([
    ['a message', { message }],
    ['messages', { messages: [{ role: 'system', content: 'x' }, { role: 'user', content: 'y' }] }],
    ['both', { message, messages: [{ role: 'user', content: '' }] }],
    ['the most client tools', { message, tools: named(128) }],
    ['a client tool with all fields', { message, tools: [{ name: 'page:set.colour-1', description: 'd', parameters: { type: 'object' }, output: {} }] }],
    ['the most context', { message, context: entries(64) }],
    ['a state', { message, state: { a: { b: [1] } } }],
    ['the longest message', { message: 'x'.repeat(KIB_256) }],
    ['the largest state', { message, state: { a: 'x'.repeat(KIB_256 - '{"a":""}'.length) } }],
  ])('A turn with %s is accepted', async (_what, args) => {
    await expect(problemsOf(args)).resolves.toEqual([]);
  }); // prettier-ignore

  it.each<[string, JsonObject, string, RegExp]>([
    ['no message', {}, '/message', /Missing required parameter 'message' \(or 'messages'\)/],
    ['an empty list of messages', { messages: [] }, '/messages', /at least 1/],
    ['another role', { messages: [{ role: 'tool', content: 'x' }] }, '/messages/0/role', /one of/],
    ['a misspelt field', { mesage: 'x', message }, '/mesage', /Unknown parameter/],
    ['too many client tools', { message, tools: named(129) }, '/tools', /at most 128/],
    ['a client tool without a name', { message, tools: [{}] }, '/tools/0/name', /Missing/],
    ['a client tool with a bad name', { message, tools: [{ name: 'a b' }] }, '/tools/0/name', /must/],
    ['a client tool with a long name', { message, tools: [{ name: 'a'.repeat(65) }] }, '/tools/0/name', /must/],
    ['a client tool named like an agent', { message, tools: [{ name: 'agent:x' }] }, '/tools/0/name', /'agent:'/],
    ['a client tool named like a core tool', { message, tools: [{ name: 'core:echo' }] }, '/tools/0/name', /'core:'/],
    ['two client tools of one name', { message, tools: [{ name: 'a' }, { name: 'a' }] }, '/tools/1/name', /already/],
    ['a misspelt field of a client tool', { message, tools: [{ name: 'a', paramters: {} }] }, '/tools/0/paramters', /Unk/],
    ['too much context', { message, context: entries(65) }, '/context', /at most 64/],
    ['context without a value', { message, context: [{ description: 'd' }] }, '/context/0/value', /Missing/],
    ['a state that is a list', { message, state: [] }, '/state', /object/],
    ['a message that is too long', { message: 'ü'.repeat(KIB_256 / 2 + 1) }, '/message', /262146 bytes; at most 262144/],
    ['a content that is too long', { messages: [{ role: 'user', content: 'x'.repeat(KIB_256 + 1) }] }, '/messages/0/content', /262145/],
    ['a state that is too large', { message, state: { a: 'x'.repeat(KIB_256) } }, '/state', /at most 262144/],
  ])('A turn with %s is refused', async (_what, args, path, text) => {
    const problems = await problemsOf(args);
    expect(problems).toMatchObject([{ path, message: expect.stringMatching(text) }]);
  }); // prettier-ignore

  it('A name of the prototype is no argument', async () => {
    const hostile = JSON.parse('{"__proto__": {"message": "x"}}') as JsonObject;
    expect(await problemsOf(hostile)).toMatchObject([{ path: '/__proto__' }, { path: '/message' }]);
  });
});
