import { isDeepStrictEqual } from 'node:util';
import { newInvocationId } from '@errand/contracts';
import { consumeWithBullmq } from '../../test/bullmq-consumer.js';
import { randomLife, randomNumbers } from '../../test/job-lives.js';
import { JobWorld } from '../../test/job-world.js';
import { consume } from '../index.js';

/** Jobs that live at the same time. */
const TOGETHER = 250;
/** The number of lives. `JOB_LIVES=500` runs fewer of them. */
const LIVES = Number(process.env['JOB_LIVES'] ?? 5_000);

describe('The keys that random jobs leave', () => {
  let reference: JobWorld;
  let tested: JobWorld;

  beforeAll(async () => {
    [reference, tested] = await Promise.all([JobWorld.open(consumeWithBullmq), JobWorld.open(consume)]);
  });
  afterAll(() => Promise.all([reference.close(), tested.close()]));

  it("Random lives of jobs leave the same keys through Errand's consumer as through BullMQ's worker", async () => {
    for (let seed = 1; seed <= LIVES / TOGETHER; seed++) {
      const random = randomNumbers(seed);
      const lives = Array.from({ length: TOGETHER }, () => randomLife(random, newInvocationId()));
      const [expected, found] = await Promise.all([reference.live(lives), tested.live(lives)]);
      const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
      const others = names.filter((name) => !isDeepStrictEqual(found[name], expected[name]));
      const difference = (keys: Record<string, unknown>) =>
        Object.fromEntries(others.map((name) => [name, keys[name]]));
      expect({ seed, ...difference(found) }).toEqual({ seed, ...difference(expected) });
      await Promise.all([reference.clear(), tested.clear()]);
    }
  });
});
