import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this process holds after a garbage collection, in bytes. (Resident memory depends on when the collector runs.) */
export function memoryHeld(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
