/**
 * Tries what should be refused and prints the names of what was not: an empty list is a defence that held.
 * Only a refusal by the system (an error with a code) counts as one. Any other error is a mistake in the attack itself.
 */
import { readFileSync } from 'node:fs';

/** Of the runs that share a container, the first attacks and the later ones are its victims. */
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
