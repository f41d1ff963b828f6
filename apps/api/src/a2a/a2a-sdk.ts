import { loadOnDemand } from '@errand/platform';
import type * as Sdk from '@a2a-js/sdk';
import type * as Errors from '@a2a-js/sdk/errors';
import type * as Server from '@a2a-js/sdk/server';
import type * as Legacy from '@a2a-js/sdk/compat/v0_3/server';

/** The parts of the SDK that this folder uses. */
export interface A2aSdk {
  shapes: typeof Sdk;
  errors: typeof Errors;
  server: typeof Server;
  legacy: typeof Legacy;
}

/** Loads the SDK with the first request, because an API without A2A clients must not pay for it. */
export const loadSdk = loadOnDemand(async (): Promise<A2aSdk> => {
  const [shapes, errors, server, legacy] = await Promise.all([
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/errors'),
    import('@a2a-js/sdk/server'),
    import('@a2a-js/sdk/compat/v0_3/server'),
  ]);
  return { shapes, errors, server, legacy };
});
