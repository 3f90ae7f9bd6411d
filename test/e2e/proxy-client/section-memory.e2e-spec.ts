import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const MEASURE = 'test/bench/load/section-memory.mjs';
/** MiB: the proxy has 70 after its start; without one budget these connections bring it to 240 and more. */
const LIMIT = 215;

describe('memory', () => {
  it.each(['heads', 'finished', 'trailers', 'responses'])(
    'is bounded while 600 connections stall with the largest allowed sections: %s',
    async (place) => {
      const measure = promisify(execFile)(process.execPath, [MEASURE, '--place', place, '--connections', '600']);
      const { peak, connections } = JSON.parse((await measure).stdout) as Record<string, number>;
      expect(connections).toBe(600);
      expect(peak).toBeLessThan(LIMIT);
    },
  );
});
