export { ByteMeter, type ByteTotals, type MeteredSocket, type SocketCounters } from './byte-meter.js';
export { durationText } from './duration-text.js';
export { LiveList, NOWHERE, type Listed } from './live-list.js';
export { createMetricsRegistry, registerProxyStats, type LossyLog } from './metrics-registry.js';
export { ProxyStats, type ProxyStatsSnapshot } from './proxy-stats.js';
export { SOCKS_ERROR_KEYS, type SocksErrorKey } from './socks-error-keys.js';
export { successRate } from './success-rate.js';
