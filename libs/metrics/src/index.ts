export type { MeteredSocket } from './byte-meter.js';
export { LiveList, NOT_LISTED, type Listed } from './live-list.js';
export { createMetricsRegistry, type LossyLog } from './metrics-registry.js';
export {
  durationText,
  ProxyStats,
  SOCKS_ERROR_KEYS,
  successRate,
  type ProxyStatsSnapshot,
  type SocksErrorKey,
} from './proxy-stats.js';
