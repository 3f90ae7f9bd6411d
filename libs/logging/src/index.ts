export { LogDestination } from './log-destination.js';
export { LogFile } from './log-file.js';
export { createProgramLog, keepLastLines, PROGRAM_LOG, type ProgramLog } from './program-log.js';
export { surviveClosedOutput } from './survive-closed-output.js';
export { watchFileLimit } from './file-limit-watch.js';
