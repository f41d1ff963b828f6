const RESPONSE_MS = 10_000;

/**
 * Reads JSON from a running stack. Undefined if it does not answer in time, or with something else. A failed request is sent once more: the server
 * may have closed the connection that it took from an earlier one.
 */
export async function askRunningStack(url, headers = {}) {
  const ask = async () => {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(RESPONSE_MS) });
    return answer.json();
  };
  const again = (error) => (error instanceof TypeError ? ask() : undefined);
  return ask()
    .catch(again)
    .catch(() => undefined);
}
