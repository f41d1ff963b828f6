// The HTTP client of the chaos tests. The API is killed now and then, so the client repeats each request until it gets a response.
import { setTimeout } from 'node:timers/promises';

export const FINAL = ['succeeded', 'failed', 'cancelled'];
const AGAIN_MS = 100;

/** The response to a request. Repeats it after a broken connection or a 503. Undefined if there is no response by `deadline`. */
export async function ask(url, { method = 'GET', body, headers = {}, deadline = Infinity } = {}) {
  while (Date.now() < deadline) {
    const answer = await once(url, { method, headers, body });
    if (answer && answer.status !== 503) return answer;
    await setTimeout(AGAIN_MS);
  }
  return undefined;
}

async function once(url, { method, body, headers }) {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** The ended invocation; undefined if it has not ended by `deadline`. */
export async function untilEnded(url, id, deadline) {
  while (Date.now() < deadline) {
    const answer = await ask(`${url}/v1/invocations/${id}?wait=20`, { deadline });
    if (!answer || answer.status === 404) return undefined;
    if (FINAL.includes(answer.body.status)) return answer.body;
  }
  return undefined;
}
