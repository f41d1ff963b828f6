export { CheckSandbox } from './check-sandbox.js';
export { readAttacks, type Attack } from './read-attacks.js';
export { runAttack, type AttackResult } from './run-attack.js';
