export { readAttacks, type Attack } from './read-attacks.js';
export { runAttack, type Held } from './run-attack.js';
