import { describe, expect, it } from '@jest/globals';
import { findProgram } from '../support/peers/find-program.js';
import { runTool } from '../support/proxy/run-tool.js';

const UNIT = 'docs/examples/14.proxy-as-a-service/proxy-client.service';
const analyze = findProgram('SYSTEMD_ANALYZE', 'systemd-analyze');

if (analyze === undefined) {
  describe('the systemd unit (skipped: systemd-analyze is neither on PATH nor named by SYSTEMD_ANALYZE)', () => {
    it.skip('needs systemd-analyze', () => undefined);
  });
} else {
  describe('the systemd unit', () => {
    it('is accepted by systemd-analyze verify without a word', async () => {
      expect(await runTool(analyze, ['verify', UNIT])).toEqual({ code: 0, stdout: '', stderr: '' });
    });
  });
}
