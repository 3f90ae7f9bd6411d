export { ByteMeter, type ByteTotals, type MeteredSocket, type SocketCounters } from './byte-meter.js';
export { LiveList, NOWHERE, type Listed } from './live-list.js';
export { createMetricsRegistry, registerProxyStats, type LossyLog } from './metrics-registry.js';
export { ProxyStats, SOCKS_ERROR_KEYS, type ProxyStatsSnapshot, type SocksErrorKey } from './proxy-stats.js';
export { durationText, successRate } from './stats-figures.js';
