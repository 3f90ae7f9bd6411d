import { describe } from '@jest/globals';
import { join } from 'node:path';
import { describeLossyLog } from '../../support/lossy-log.js';

describe('the log of ledger-api', () => {
  describeLossyLog({
    main: 'apps/ledger-api/bundle/lib/ledger-api.js',
    env: (directory) => ({
      LEDGER_DATA_DIR: join(directory, 'ledger'),
      LEDGER_API_PORT: '0',
      LEDGER_API_HTTPS_PORT: '0',
      LOG_LEVEL: 'debug',
    }),
    page: ({ http = '' }) => `${http}/health`,
    metrics: ({ http = '' }) => `${new URL(http).origin}/metrics`,
  });
});
