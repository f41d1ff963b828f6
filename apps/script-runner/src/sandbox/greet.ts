import { HintedError } from '../hinted-error.js';
import type { Dialogue } from './dialogue.js';
import { tampered } from './tampered.js';

/**
 * The greetings of a new container. `apart`: each run gets a user of its own, so the container may serve several. A container that has
 * served a run greets with the token of that run, which no script can know.
 */
const GREETINGS = { single: 'ready\n', apart: 'ready apart\n' };

/**
 * Resolves when the supervisor of a new container takes requests.
 * @param image the hint names it where its supervisor is older than this runner
 * @throws SandboxLost when it ends before
 * @throws ToolError SecurityError when something else is there than a supervisor; ServiceError when it does not keep runs apart
 *   though it must
 */
export function greet(dialogue: Dialogue, { image, isApart }: { image: string; isApart: boolean }): Promise<void> {
  const greeting = isApart ? GREETINGS.apart : GREETINGS.single;
  let heard = '';
  return new Promise((resolve, reject) => {
    dialogue.listen({
      hear(source, bytes) {
        if (source === 'stderr') return;
        heard += bytes.toString('latin1');
        if (isApart && heard === GREETINGS.single) throw outdated(image);
        if (!greeting.startsWith(heard)) throw tampered('no greeting');
        if (heard !== greeting) return;
        dialogue.unlisten();
        resolve();
      },
      fail: reject,
    });
  });
}

function outdated(image: string): HintedError {
  return new HintedError(
    'ServiceError',
    'The script runner cannot share a container between runs: its image is outdated',
    `The image ${image} holds a supervisor of an older version, which cannot keep the runs of one container apart; build the image again from runtimes/ (./errand up does)`,
  );
}
