/** What Kubernetes sets for a service, and Docker for a link: the address as `tcp://10.0.0.1:3000`. */
const ADDRESS = /^(?:tcp|udp|sctp):\/\//i;
/** What follows the name of a service in its other variables, such as LEDGER_API_PORT_3000_TCP_ADDR. */
const AFTER_NAME = /^_(?:SERVICE_(?:HOST|PORT)|PORT_\d)/;

/**
 * Returns the environment without the variables that describe services of the cluster. Kubernetes sets them in each container of
 * the namespace unless `enableServiceLinks: false`: those of a service named "ledger-api" or "proxy-admin" have the prefix of our
 * variables, and one of them, LEDGER_API_PORT or PROXY_ADMIN_PORT, the name of a setting.
 */
export function withoutServiceVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const services = servicesIn(environment);
  if (services.size === 0) return environment;
  const entries = Object.entries(environment);
  return Object.fromEntries(entries.filter(([name, value = '']) => !isOfService(name, value, services)));
}

/** Returns the names of the services: both variables are always set, or the address is. */
function servicesIn(environment: NodeJS.ProcessEnv): ReadonlySet<string> {
  const names = Object.keys(environment);
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  const linked = names.filter((name) => name.endsWith('_PORT') && ADDRESS.test(environment[name] ?? ''));
  const hosts = names.filter((name) => name.endsWith('_SERVICE_HOST') && isSet(name));
  return new Set([
    ...linked.map((name) => name.slice(0, -'_PORT'.length)),
    ...hosts.map((name) => name.slice(0, -'_SERVICE_HOST'.length)).filter((name) => isSet(`${name}_SERVICE_PORT`)),
  ]);
}

function isOfService(name: string, value: string, services: ReadonlySet<string>): boolean {
  if (name.endsWith('_PORT') && ADDRESS.test(value)) return true;
  return [...services].some((service) => name.startsWith(service) && AFTER_NAME.test(name.slice(service.length)));
}
