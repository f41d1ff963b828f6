import type { EffectEntry } from '@errand/contracts';
import { cutResults, repeatedEffects } from './found-signs.js';

const pageOf = <T>(...items: T[]) => Promise.resolve({ items, nextCursor: null });
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other fields are not looked at
const effect = (value: Partial<EffectEntry>): EffectEntry => ({ session: 's', repeats: [], ...value }) as EffectEntry;

it('Only a result with the note of the cut is found', async () => {
  const items = [
    { id: 'inv_1', observation: 'x\n[cut at 8,000 of 120,000 characters; read more]' },
    { id: 'inv_2', observation: 'The file was cut at 5 places' },
    { id: 'inv_3' },
  ];
  expect(await cutResults.look(() => pageOf(...items))).toEqual({ items: [{ id: 'inv_1' }], looked: 3 });
});

it('Only an effect with repeats is found', async () => {
  const repeats = [{ invocationId: 'i', step: 0, at: '' }];
  const items = [effect({ toolId: 'a:b', repeats }), effect({ toolId: 'a:c' })];
  expect(await repeatedEffects.look(() => pageOf(...items))).toEqual({
    items: [{ session: 's', toolId: 'a:b' }],
    looked: 2,
  });
});
