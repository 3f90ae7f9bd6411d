export { createMetricsRegistry, type LossyLog } from './metrics-registry.js';
