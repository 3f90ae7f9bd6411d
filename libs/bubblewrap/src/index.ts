export { secretsOf } from './secrets-of-etc.js';
export { readOnly, SEPARATED, systemMounts, WITHOUT_USER_NAMESPACES } from './system-mounts.js';
