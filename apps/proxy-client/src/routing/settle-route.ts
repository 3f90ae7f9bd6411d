import type { Attempt } from '../upstream/upstream.js';
import type { ChooseRoute, Route, RouteOutcome } from './router.js';
import type { RouteQuery } from './rules/rule.js';

/**
 * Settles the route that the rules have selected for a request: first a person is asked, if a rule requires it, then the program that embeds
 * the proxy. Calls one method of `outcome`, at once or later.
 *
 * @param chooseRoute - absent: the rules alone select the upstream
 * @returns ends the wait for a person, if there is one
 */
export function settleRoute(
  query: RouteQuery,
  route: Route,
  chooseRoute: ChooseRoute | undefined,
  outcome: RouteOutcome,
): Attempt | undefined {
  const choose = (allowed: Route): void => {
    if (chooseRoute === undefined) outcome.routed(allowed);
    else chooseRoute(query, allowed, outcome);
  };
  if (route.wait !== undefined) return route.wait({ routed: choose, refused: outcome.refused.bind(outcome) });
  choose(route);
  return undefined;
}
