// Submits thousands of invocations of every kind at a steady pace and waits for the end of each, while processes die.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ask, untilEnded } from './client.mjs';

const LANES = 4;
const FOLLOWERS = 150;
const BATCH = 20;
const BATCHES_OF_ALL = 0.1;
const TOLD_OF_ALL = 0.5;
const REPEATED_OF_ALL = 0.1;
/** The longest pause between two submissions of a lane, until `count` is reached and afterwards, in ms. */
const PACE_MS = 40;
const SLOW_PACE_MS = 2_000;
const TAKEABLE = new Set(['node', 'workflow', 'chain']);

/** The load of one chaos test. `ended` has each accepted submission, its end, and the responses that the caller got. */
export class MixedLoad {
  accepted = [];
  ended = [];
  #followed = 0;
  #made = 0;

  /** @param options `{url, callbackUrl?, random, kinds, count}`: the load submits at least `count` invocations */
  constructor(options) {
    Object.assign(this, options);
    this.names = Object.keys(this.kinds);
  }

  /** Submits until there are `count` and `isOver()` is true. Waits for the end of each, at most until `deadline`. */
  async run(isOver, deadline) {
    let isSubmitted = false;
    const followers = Array.from({ length: Math.min(FOLLOWERS, this.count) }, () =>
      this.#follow(() => isSubmitted, deadline),
    );
    await Promise.all(Array.from({ length: LANES }, () => this.#submit(isOver)));
    isSubmitted = true;
    await Promise.all(followers);
  }

  get #isEnough() {
    return this.accepted.length >= this.count;
  }

  async #submit(isOver) {
    while (!this.#isEnough || !isOver()) {
      // Beyond `count`, the load only goes on so that processes have work when they are killed.
      const size = !this.#isEnough && this.random() < BATCHES_OF_ALL ? BATCH : 1;
      this.accepted.push(...(await this.#submitTogether(Array.from({ length: size }, () => this.#make()))));
      await setTimeout(this.random() * (this.#isEnough ? SLOW_PACE_MS : PACE_MS));
    }
  }

  /** The next submission: the request, and its expected end. */
  #make() {
    const takeable = this.accepted.findLast(({ name }) => TAKEABLE.has(name));
    // Each kind in turn, so that a small load has all of them.
    const name = this.names[this.#made++ % this.names.length];
    const kind = this.kinds[name];
    if (kind.takes && !takeable) return this.#make();
    const n = 1 + Math.floor(this.random() * 1_000);
    // A repair has the callback of the repaired invocation, which would then come twice.
    const told = this.callbackUrl !== undefined && this.random() < TOLD_OF_ALL && !kind.repairs;
    const body = { ...kind.request(n, takeable?.id), ...(told && { callback: { url: this.callbackUrl } }) };
    return { name, kind, n, told, body, key: randomUUID(), ...(kind.takes && { taken: takeable }) };
  }

  /** Sends a request without a response again, with the same key. */
  async #submitTogether(made) {
    const answers = made.length === 1 ? [(await this.#send(made[0])).body] : (await this.#sendBatch(made)).body.items;
    return made.map((one, n) => {
      if (!answers?.[n]?.id) throw new Error(`${one.name} was refused: ${JSON.stringify(answers?.[n])}`);
      return { ...one, id: answers[n].id };
    });
  }

  #send({ body, key }) {
    return ask(`${this.url}/v1/invocations`, { method: 'POST', body, headers: { 'idempotency-key': key } });
  }

  #sendBatch(made) {
    const items = made.map(({ body, key }) => ({ ...body, idempotencyKey: key }));
    return ask(`${this.url}/v1/invocations/batch`, { method: 'POST', body: { items } });
  }

  async #follow(isSubmitted, deadline) {
    for (;;) {
      const one = this.accepted[this.#followed];
      if (one) this.#followed++;
      else if (isSubmitted()) return;
      if (one) this.ended.push(await this.#seeThrough(one, deadline));
      else await setTimeout(50);
    }
  }

  async #seeThrough(one, deadline) {
    const { id, kind, n } = one;
    const at = (path) => `${this.url}/v1/invocations/${id}/${path}`;
    const post = (path, body) => ask(at(path), { method: 'POST', body, deadline });
    if (kind.asked) one.answered = await post('steps/0/result', { result: n });
    if (kind.cancels) {
      await setTimeout(this.random() * n);
      one.cancel = await post('cancel', {});
    }
    one.first = await untilEnded(this.url, id, deadline);
    if (this.random() < REPEATED_OF_ALL) one.repeated = (await this.#send(one)).body;
    if (kind.repairs && one.first?.status === 'failed') {
      const repair = (await post('retry', { steps: kind.repairs }))?.body;
      one.repair = repair && (await untilEnded(this.url, repair.id, deadline));
    }
    return one;
  }
}

/** Whether the invocation, its cancel request and its repair ended as expected. */
export function isAsItShould(one) {
  const { kind, n, first, answered, cancel, repeated, repair, id, taken } = one;
  if (repeated && repeated.id !== id) return false;
  if (answered && answered.status !== 202) return false;
  if (kind.repairs) return first.status === 'failed' && hasResult(repair, kind.result(n));
  if (kind.fails) return first.status === 'failed';
  if (cancel?.status === 202 || (cancel && first.status === 'cancelled')) return first.status === 'cancelled';
  if (taken && taken.first?.status !== 'succeeded') return first.status === 'failed';
  return hasResult(first, kind.result(n, taken?.first.result));
}

function hasResult(ended, result) {
  return ended?.status === 'succeeded' && isDeepStrictEqual(ended.result, result);
}
