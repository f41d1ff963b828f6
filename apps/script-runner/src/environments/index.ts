export { Environments, type Dependencies } from './environments.js';
export { openPackageProxy, type PackageSources } from './package-install.js';
