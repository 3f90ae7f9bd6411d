export { readOnly, SEPARATED, SYSTEM_DIRECTORIES, systemMounts, WITHOUT_USER_NAMESPACES } from './system-mounts.js';
