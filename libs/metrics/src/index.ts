export { ByteMeter, type ByteTotals, type SocketCounters } from './byte-meter.js';
export { durationText } from './duration-text.js';
export { createMetricsRegistry, registerProxyStats } from './metrics-registry.js';
export { ProxyStats, type ProxyStatsSnapshot } from './proxy-stats.js';
export { SOCKS_ERROR_KEYS, type SocksErrorKey } from './socks-error-keys.js';
export { successRate } from './success-rate.js';
