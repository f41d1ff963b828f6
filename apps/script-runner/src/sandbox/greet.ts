import type { Dialogue } from './dialogue.js';
import { READY } from './read-answer.js';
import { tampered } from './tampered.js';

/**
 * Resolves when the supervisor of a new container takes requests.
 * @throws SandboxLost when it ends before
 * @throws ToolError SecurityError when something else is there than a supervisor
 */
export function greet(dialogue: Dialogue): Promise<void> {
  let heard = '';
  return new Promise((resolve, reject) => {
    dialogue.listen({
      hear(source, bytes) {
        if (source === 'stderr') return;
        heard += bytes.toString('latin1');
        if (!READY.startsWith(heard)) throw tampered('no greeting');
        if (heard !== READY) return;
        dialogue.unlisten();
        resolve();
      },
      fail: reject,
    });
  });
}
