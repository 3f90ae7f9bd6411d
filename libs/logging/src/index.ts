export { ENDING_SIGNALS, ignoreOtherSignals, onHangup } from './signals.js';
export { runOnSupportedNode } from './node-version.js';
export { fileOutput, LogDestination, LogFile } from './log-destination.js';
export {
  createProgramLog,
  flushLogOnExit,
  PROGRAM_LOG,
  surviveClosedOutput,
  watchFileLimit,
  type ProgramLog,
} from './program-log.js';
