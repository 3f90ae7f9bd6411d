export { LogDestination } from './log-destination.js';
export { createProgramLog, keepLastLines, type ProgramLog } from './program-log.js';
