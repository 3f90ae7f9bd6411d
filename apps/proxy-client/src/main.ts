import { startNewest } from '#newest-build';

await startNewest(import.meta.url, 'proxy-client');
