/** Token of the Prometheus registry. */
export const METRICS_REGISTRY = Symbol('Prometheus registry');
