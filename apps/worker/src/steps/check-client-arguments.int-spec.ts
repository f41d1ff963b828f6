import type { JsonObject, JsonSchema } from '@errand/contracts';
import { validateArguments } from '@errand/registry';
import { SCHEMA_ATTACKS } from '../../../../libs/registry/test/schema-attacks.js';
import { checkClientArguments, checkClientCall } from './check-client-arguments.js';
import { RunComputation } from './run-computation.js';

const computation = new RunComputation({ ERRAND_COMPUTE_THREADS: 1 });
afterAll(() => computation.close());

type Waiter = Parameters<typeof checkClientArguments>[1];
/** The parts of a job that a computation uses. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it uses no other part
const work = { record: { tenant: 'acme' }, withoutSlot: (done: Promise<unknown>) => done } as unknown as Waiter['work'];
const waiter: Waiter = { work, signal: new AbortController().signal };
const toolOf = (parameters: JsonSchema) => ({ toolId: 'paint', parameters });
const COLOR = toolOf({ type: 'object', properties: { color: { type: 'string', default: 'blue' } } });

describe('The check of arguments for client tools', () => {
  it('The thread fills in defaults and names problems as the check in place does, in the order of the calls', async () => {
    const given = [{}, { color: 1 }, { colour: 'red' }, { color: 'red' }, JSON.parse('{"__proto__": 1}') as JsonObject];
    const found = await checkClientArguments(
      computation,
      waiter,
      given.map((args) => ({ tool: COLOR, arguments: args })),
    );
    expect(found).toEqual(given.map((args) => validateArguments(COLOR, args)));
    expect(found.map(({ problems }) => problems.length)).toEqual([0, 1, 1, 0, 1]);
  });

  it('The event loop goes on while a thread applies a hostile schema', async () => {
    let turns = 0;
    const beats = setInterval(() => turns++, 1);
    const attacks = SCHEMA_ATTACKS.map(({ schema, value }) => ({ tool: toolOf(schema), arguments: { v: value } }));
    const check = checkClientArguments(computation, waiter, attacks).finally(() => clearInterval(beats));
    const found = await check;
    expect(found).toHaveLength(SCHEMA_ATTACKS.length);
    // A check in this thread ends before the first beat.
    expect(turns).toBeGreaterThan(1);
  });

  it('A check ends with its signal', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    const check = checkClientCall(computation, { ...waiter, signal }, { tool: COLOR, arguments: {} });
    await expect(check).rejects.toThrow('cancelled');
  });
});
