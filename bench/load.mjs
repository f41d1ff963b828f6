// Sends requests to an API and measures rates and latencies.
import { createRequire } from 'node:module';
import { createParser } from 'eventsource-parser';

const require = createRequire(import.meta.url);
const autocannon = require('autocannon');
const { Queue } = require('bullmq');
const SECONDS = 2;
const JSON_BODY = { 'content-type': 'application/json' };

/** Successful requests per second, with `connections` in flight. `each`: how many items a request counts as. */
export async function rateOf(request, { connections = 64, each = 1 } = {}) {
  const found = await autocannon({ headers: JSON_BODY, ...request, connections, duration: SECONDS });
  if (found.non2xx > 0 || found.errors > 0)
    throw new Error(`${request.url}: ${found.non2xx} refused, ${found.errors} failed`);
  return (found['2xx'] * each) / found.duration;
}

/** Jobs per second that `addBulk` stores, called without HTTP by `inFlight` callers at once. */
export async function bulkRate(redisUrl, data, { inFlight, each }) {
  const queue = new Queue('bulk', { connection: { url: redisUrl } });
  const jobs = Array.from({ length: each }, () => ({ name: 'noop', data }));
  const start = performance.now();
  let added = 0;
  const add = async () => {
    for (; performance.now() < start + SECONDS * 1_000; added += each) await queue.addBulk(jobs);
  };
  await Promise.all(Array.from({ length: inFlight }, add));
  const rate = (added * 1_000) / (performance.now() - start);
  await queue.close();
  return rate;
}

/** The times of requests that are sent one by one, in ms. */
export async function latenciesOf({ url, body, headers = {} }, count) {
  const times = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await (await fetch(url, { method: 'POST', body, headers: { ...JSON_BODY, ...headers } })).text();
    times.push(performance.now() - start);
  }
  return times;
}

/** The time from the end of an invocation to its `end` event at a listener, in whole ms. */
export async function newsLatencies(url, count) {
  const times = [];
  for (let n = 0; n < count; n++) {
    const body = JSON.stringify({ toolId: 'core:delay', arguments: { ms: 20, value: n } });
    const { id } = await (await fetch(url, { method: 'POST', body, headers: JSON_BODY })).json();
    times.push(await untilTold(`${url}/${id}/events`));
  }
  return times;
}

async function untilTold(url) {
  const response = await fetch(url);
  let took;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'end') took = Date.now() - Date.parse(JSON.parse(data).invocation.finishedAt);
    },
  });
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) parser.feed(chunk);
  return took;
}
