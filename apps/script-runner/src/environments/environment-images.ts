/** The name of all images of environments. Their tag is the digest. */
export const REPOSITORY = 'errand-environment';
/** The label whose value is the digest. */
export const LABEL = 'errand.environment';
