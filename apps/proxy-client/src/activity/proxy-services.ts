import type { ProxyStats } from '../stats/proxy-stats.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { FailureReporter, ProxyLog } from '../failure/failure-reporter.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { SectionMemory } from '../http/section-memory.js';
import type { Relays } from '../relay/relay.js';
import type { Turns } from '../relay/turns.js';
import type { ChooseRoute, Router } from '../routing/router.js';
import type { ActiveConnection } from './active-connection.js';
import type { Connections } from './connections.js';
import type { LoggedRequest, RequestEnd } from './request-line.js';

/** Receives every finished request: the request log, or the callback of a program that embeds the proxy. */
export interface FinishedRequests {
  /** Adds a finished request. */
  ended(request: LoggedRequest, end: RequestEnd): void;
}

/** The services that requests and tunnels share. */
export interface ProxyServices {
  /** The current settings, which a reload changes in place. */
  readonly config: Pick<ProxyClientConfig, 'limits' | 'pool' | 'timeouts' | 'via'>;
  readonly router: Router;
  /** The memory for the header and trailer sections of all connections. */
  readonly sections: SectionMemory;
  /** The turns of clients that have sent several requests at once. */
  readonly turns: Turns;
  /** Absent: the rules alone select the upstream. */
  readonly chooseRoute?: ChooseRoute | undefined;
  readonly relays: Relays;
  readonly reporter: FailureReporter;
  readonly requestLog: FinishedRequests;
  readonly connections: Connections;
  readonly stats: ProxyStats;
  /** Logs a line per request and tunnel; undefined unless the level is debug. */
  readonly debug?: ProxyLog['debug'] | undefined;
}

/**
 * Counts and logs a failed request, in the log of the program and in the request log.
 *
 * @param target - `host:port`, if it is known and well-formed
 */
export function recordFailure(
  { reporter, requestLog }: ProxyServices,
  request: LoggedRequest,
  failure: ProxyFailure,
  target?: string,
): void {
  const { client, method, upstream, rule } = request;
  const { remoteAddress, user } = client;
  reporter.report(failure, { method, target, upstream, rule, client: remoteAddress, user });
  requestLog.ended(request, { failure });
}

/** Records that a request or tunnel has failed at its upstream or target; it is listed among the finished connections. */
export function recordFailedConnection(
  services: ProxyServices,
  connection: ActiveConnection & LoggedRequest,
  failure: ProxyFailure,
): void {
  recordFailure(services, connection, failure, connection.authority);
  services.connections.ended(connection, { failure });
}

/** Records that a request or tunnel was refused after its target was known: it has no upstream, and was no connection. */
export function recordRefusal(
  services: ProxyServices,
  { client, method, requestedTarget, authority, rule }: ActiveConnection & LoggedRequest,
  failure: ProxyFailure,
): void {
  recordFailure(services, { client, method, requestedTarget, rule }, failure, authority);
}

/**
 * Records that the client of a request or tunnel has disconnected.
 *
 * @param isRouted - whether its route was settled: before, it has no upstream, and was no connection
 */
export function recordDisconnection(
  services: ProxyServices,
  connection: ActiveConnection & LoggedRequest,
  isRouted: boolean,
): void {
  const { client, method, requestedTarget, rule, startedAt } = connection;
  if (isRouted) recordEnd(services, connection, 'client_closed');
  else services.requestLog.ended({ client, method, requestedTarget, rule, startedAt }, 'client_closed');
}

/** Counts and logs a request that was answered by its origin. */
export function countForwarded(
  { stats, debug }: ProxyServices,
  { client, method, authority: target }: ActiveConnection & LoggedRequest,
  status: number,
): void {
  stats.requestSucceeded(client.user);
  debug?.({ method, target, status }, 'request relayed');
}

/** Records the end of a request or tunnel that was accepted: in the request log, and in the list of finished connections. */
export function recordEnd(
  { requestLog, connections }: ProxyServices,
  connection: ActiveConnection & LoggedRequest,
  end: RequestEnd,
): void {
  requestLog.ended(connection, end);
  connections.ended(connection, end);
}
