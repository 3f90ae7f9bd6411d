// fast-check, with the same cases in every run. `FUZZ_SEED` selects others. Jest loads this in its place (jest.config.mjs).
import process from 'node:process';
import fc from '../../node_modules/fast-check/lib/fast-check.js';

fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 1) });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
