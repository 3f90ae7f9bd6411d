import { describe } from '@jest/globals';
import { describeLossyLog } from '../../support/lossy-log.js';

// The rest is the same code as the log of ledger-api, whose suite covers it.
describe('the log of proxy-client', () => {
  describeLossyLog(
    {
      main: 'apps/proxy-client/bundle/lib/proxy-client.js',
      env: () => ({
        PROXY_LISTEN_PORT: '0',
        PROXY_ADMIN_PORT: '0',
        PROXY_UPSTREAM: 'embedded',
        PROXY_LOG_LEVEL: 'debug',
      }),
      page: ({ proxy = '' }) => `${proxy}/stats`,
      metrics: ({ admin = '' }) => `${admin}/metrics`,
    },
    { onlyFullDevice: true },
  );
});
