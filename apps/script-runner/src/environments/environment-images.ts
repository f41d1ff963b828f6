/** Images of environments carry this name, and the digest as their tag. */
export const REPOSITORY = 'errand-environment';
/** Its value is the digest. */
export const LABEL = 'errand.environment';
