/**
 * Runs attempts that the sandbox must refuse, and prints the names of those that succeeded: an empty list means that
 * the defence held.
 * Only an error of the system, with a code, counts as a refusal. Any other error is a bug of the attack.
 */
import { readFileSync } from 'node:fs';

/** Of the runs that share a container, the first one attacks and the later ones are its victims. */
export function isFirstRun() {
  return JSON.parse(readFileSync(0, 'utf8')).run === 1;
}

export async function report(attempts) {
  const achieved = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      if ((await attempt()) !== false) achieved.push(name);
    } catch (error) {
      if (typeof error.code !== 'string') throw error;
    }
  }
  console.log(JSON.stringify(achieved));
}
