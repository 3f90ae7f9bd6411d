export { claimedIdOf, isHashOf, isWhole } from './api-key.js';
export {
  addCaller,
  type CallerAttributes,
  type CallerEntry,
  type CallerList,
  CallersError,
  type ChangedCallers,
  enrolCaller,
  expiryOf,
  hasExpired,
  requireCallerValues,
  revokeCaller,
  rotateKeys,
} from './caller-list.js';
export { certificatesDirOf, changeCallers, readCallers, versionOf } from './callers-file.js';
export {
  includesRole,
  limitRoles,
  type Role,
  roleAnywhere,
  roleOn,
  type Roles,
  ROLES,
  rolesByChannel,
  rolesIn,
} from './roles.js';
