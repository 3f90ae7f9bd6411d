import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const MEASURE = 'test/bench/load/section-memory.mjs';
/** MiB: the proxy has 70 after its start; without one budget that counts all of it these connections bring it to 240 and more. */
const LIMIT = 170;
/** The same with the read buffers of content. */
const LIMIT_OF_CONTENT = 400;

/** Places in which header fields wait, and the kinds of their lines; see the program. */
const CASES = [
  ...['heads one', 'heads tiny', 'trailers one', 'trailers short', 'trailed one', 'trailed short', 'responses one'],
  ...['finished one', 'finished short', 'finished tiny', 'finished options', 'answered one', 'answered short'],
  ...['idle one', 'tunnels one', 'responses refused', 'chunks one'],
];

describe('memory', () => {
  it.each(CASES.map((text) => text.split(' ')))(
    'is bounded while 600 connections stall with the largest allowed sections: %s, %s',
    async (place = '', lines = '') => {
      const args = ['--place', place, '--lines', lines, '--connections', '600'];
      const measure = promisify(execFile)(process.execPath, [MEASURE, ...args]);
      const { peak, connections } = JSON.parse((await measure).stdout) as Record<string, number>;
      expect(connections).toBe(600);
      expect(peak).toBeLessThan(place === 'chunks' ? LIMIT_OF_CONTENT : LIMIT);
    },
  );
});
