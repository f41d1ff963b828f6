export { maskSecrets, type Mask } from './mask-secrets.js';
export { parseSecretPolicy } from './secret-policy.js';
export { SecretStore } from './secret-store.js';
