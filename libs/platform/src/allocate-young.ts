import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 allocate every object in the young generation. By default, it allocates objects in the old one if others from the same place in the
 * code have survived a collection. Under load they survive, because many requests run at once. Such an object keeps its whole request until
 * a full collection, although both are dead (ADR 153). Call it before the first request.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
