import { readUpstreamObject } from '../config/config-object.js';
import { describeUpstream } from '../config/upstream-setting.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { ChooseRoute, Route } from '../routing/router.js';
import { REJECT } from '../routing/rules/rule.js';
import type { RouteQuery } from '../routing/rules/rule.js';
import type { Upstream } from '../upstream/upstream.js';
import type { Upstreams } from '../upstream/upstreams.js';
import type { ProxyHooks, UpstreamChoice } from './types.js';

/** The name of the callback, for faults and failures. */
const SOURCE = 'chooseUpstream';

/**
 * Returns the function that asks the callback for the route of each request, before the request uses a connection: requests share
 * pooled connections only if the same upstream was chosen for them. The target of a tunnel listener has an upstream of its own.
 *
 * @param upstreams - returns those of the present configuration
 */
export function askForUpstreams(
  chooseUpstream: NonNullable<ProxyHooks['chooseUpstream']>,
  upstreams: () => Upstreams,
): ChooseRoute {
  const choose = async ({ target, client }: RouteQuery, route: Route): Promise<Route> => {
    const choice = await chooseUpstream({ user: client.user, host: target.host, port: target.port });
    return choice === undefined ? route : routeOf(choice, upstreams());
  };
  return (query, route, outcome) => {
    if (query.listener?.via !== undefined) {
      outcome.routed(route);
      return;
    }
    choose(query, route)
      .then((chosen) => {
        outcome.routed(chosen);
      })
      .catch((error: unknown) => {
        outcome.refused(asFailure(error));
      });
  };
}

function routeOf(choice: NonNullable<UpstreamChoice>, upstreams: Upstreams): Route {
  const named = typeof choice === 'string' ? upstreams.byName.get(choice) : undefined;
  if (named !== undefined) return routeTo(named);
  if (choice === REJECT) throw new ProxyFailure('rejected', { detail: SOURCE });
  const config = readUpstreamObject(withoutObject(choice), SOURCE);
  return routeTo(upstreams.temporary({ name: describeUpstream(config), ...config }));
}

/** The ports that a URL object drops, since they are the defaults of its scheme. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Returns the text of a URL object, which encodes user name and password; other values are unchanged. */
export function withoutObject<T>(upstream: T | URL): T | string {
  if (!(upstream instanceof URL)) return upstream;
  const { protocol, hostname, port, username, password } = upstream;
  const credentials = username === '' ? '' : `${username}:${password}@`;
  const given = port === '' ? DEFAULT_PORTS[protocol] : port;
  return `${protocol}//${credentials}${hostname}${given === undefined ? '' : `:${given}`}`;
}

function routeTo(upstream: Upstream): Route {
  return { upstream, name: upstream.name, rule: undefined };
}

/** The error of the callback is logged; the client does not see it. */
function asFailure(error: unknown): ProxyFailure {
  try {
    return error instanceof ProxyFailure ? error : new ProxyFailure('internal', { detail: SOURCE }, error);
  } catch {
    // A proxy object may throw at every access, also at instanceof.
    return new ProxyFailure('internal', { detail: SOURCE }, new TypeError('an object that cannot be read was thrown'));
  }
}
