import { describe, expect, it } from '@jest/globals';
import { findProgram } from '../support/peers/find-program.js';
import { runTool } from '../support/proxy/run-tool.js';

const UNITS = [
  'docs/examples/14.proxy-as-a-service/proxy-client.service',
  'docs/examples/15.ledger-as-a-service/ledger-api.service',
];
const analyze = findProgram('SYSTEMD_ANALYZE', 'systemd-analyze');

if (analyze === undefined) {
  describe('the systemd units (skipped: systemd-analyze is neither on PATH nor named by SYSTEMD_ANALYZE)', () => {
    it.skip('needs systemd-analyze', () => undefined);
  });
} else {
  describe('the systemd units', () => {
    it.each(UNITS)('%s is accepted by systemd-analyze verify without a word', async (unit) => {
      expect(await runTool(analyze, ['verify', unit])).toEqual({ code: 0, stdout: '', stderr: '' });
    });
  });
}
