// The environment of the unit tests where coverage is measured: Jest's own, but V8 counts from the first file of a process to its
// last. Jest turns counting on and off, and a debugger with it, around every file; each time V8 walks the whole heap and throws
// away all code that it had optimised, which took three fifths of the run, more with every file that was behind it.
// What is counted is the same: each file still gets the counts since the one before. docs/adr/0180
import { Session } from 'node:inspector/promises';
import { CoverageInstrumenter } from 'collect-v8-coverage';

let session;

CoverageInstrumenter.prototype.startInstrumenting = async function () {
  if (session !== undefined) return;
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
};

CoverageInstrumenter.prototype.stopInstrumenting = async function () {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result;
};

export { default } from 'jest-environment-node';
