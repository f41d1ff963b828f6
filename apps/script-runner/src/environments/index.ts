export { Environments, type Dependencies } from './environments.js';
export { openPackageProxy, type PackageSources } from './install-spec.js';
