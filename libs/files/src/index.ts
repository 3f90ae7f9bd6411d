export { directoryFault, openingFault, replacingFault } from './access-faults.js';
export {
  createPrivateFile,
  makeDirectory,
  replaceFileDurably,
  shareWithOwner,
  syncDirectory,
  writeFileDurably,
} from './durable-files.js';
export { FileLock } from './file-lock.js';
export { findBlockingFile, readRegularFile, readRegularFileSync } from './regular-files.js';
export { newerFormatError } from './stored-format.js';
export { installedVersion, testedVersions, toolCommand } from './installation.js';
