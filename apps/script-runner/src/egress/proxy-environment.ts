/** Where the supervisor listens for a script's connections (`tunnels.py` and `tunnels.ts` in `runtimes`), on the loopback of its sandbox. */
const PROXY = 'http://127.0.0.1:3128';
const SELF = 'localhost,127.0.0.1,::1';

/** What tells HTTP clients of the one way out: libraries look for these names in either spelling. */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, ALL_PROXY: PROXY, NO_PROXY: SELF }).flatMap(
    ([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ],
  ),
);
