import type { Registry } from 'prom-client';
import type { LogDestination } from '#logging';
import { createMetricsRegistry } from '#metrics';
import type { ConnectionFilter, ConnectionQuery, Connections } from '../activity/connections.js';
import type { RequestLog } from '../activity/request-log.js';
import type { TrafficHistory } from '../activity/traffic-history.js';
import { requiresTls } from '../config/listener-setting.js';
import type { ListenerConfig, ProxyClientConfig } from '../config/proxy-client-config.js';
import type { FailureReporter, ProxyLog } from '../failure/failure-reporter.js';
import { formatAuthority, type Target } from '../http/authority.js';
import { acceptsHttp } from '../listener/client-modes.js';
import type { Endpoint } from '../listener/endpoint.js';
import { pacPage, type PacAddress, type PacPage } from '../listener/own-pages.js';
import { pacAddressOf } from '../listener/proxy-listener.js';
import { explainRoute } from '../routing/explain-route.js';
import type { Answer, AnswerResult } from '../routing/gate/asks.js';
import type { Gate } from '../routing/gate/gate.js';
import type { GrantTarget } from '../routing/gate/grants.js';
import type { Router } from '../routing/router.js';
import type { PacScript } from '../routing/rules/pac-script.js';
import { ASK } from '../routing/rules/rule.js';
import type { ProxyStats } from '../stats/proxy-stats.js';
import { explainPac } from '../upstream/pac-upstream.js';
import type { Upstreams } from '../upstream/upstreams.js';
import type { FailureList, LiveConnectionList } from './api/activity.responses.js';
import type { DenialList, Grant, GrantList, QuestionList } from './api/gate.responses.js';
import type { Health, History, ListenerList, ListenerStatus, Stats } from './api/monitoring.responses.js';
import type { RouteExplanation, RuleStatusList } from './api/routes.responses.js';
import type { UpstreamList, UpstreamTestList } from './api/upstreams.responses.js';
import { registerProxyMetrics } from './proxy-metrics.js';
import { RunningChecks, type CheckedProxy, type CheckEvent, type CheckQuery } from './running-checks.js';

/** A grant, or why there is none; `rejected`: what rejects the requests anyway. */
export type GrantResult = Grant | 'no gate' | 'too many' | { readonly rejected: string };

/** The state of a proxy that its pages show. A reload replaces parts of it. */
export interface ViewedProxy extends CheckedProxy {
  readonly gate: Gate;
  readonly upstreams: Upstreams;
  readonly router: Router;
  readonly pac: PacScript;
  readonly connections: Connections;
  readonly reporter: FailureReporter;
  readonly stats: ProxyStats;
  readonly monitoring: { readonly stats: () => Stats; readonly health: () => Health };
  /** The sockets of each listener, in the order of the configuration. */
  readonly endpoints: readonly (readonly Endpoint[])[];
}

/** What the pages show of the program. */
export interface ViewParts {
  readonly proxy: ViewedProxy;
  readonly history: TrafficHistory;
  readonly requestLog: RequestLog;
  readonly logger: ProxyLog;
  /** The destination of the log, whose lost lines are counted. */
  readonly log: LogDestination;
  /** Returns the time of the last reload, or undefined before the first. */
  readonly reloadedAt: () => Date | undefined;
  /** Receives the number of readers of the event stream. */
  readonly watched: (readers: number) => void;
}

/**
 * The data of the admin pages, in the form in which they send it. The object is on the main thread; each of its methods is a remote call of
 * the thread of the pages.
 */
export class ProxyView {
  readonly #parts: ViewParts;
  readonly #proxy: ViewedProxy;
  readonly #checks = new RunningChecks();
  #metrics: Promise<Registry> | undefined;

  constructor(parts: ViewParts) {
    this.#parts = parts;
    this.#proxy = parts.proxy;
  }

  stats(): Stats {
    return this.#proxy.monitoring.stats();
  }

  health(): Health {
    return this.#proxy.monitoring.health();
  }

  /** Returns the metrics in the text format of Prometheus. They are collected on the main thread. */
  async metrics(): Promise<{ readonly contentType: string; readonly text: string }> {
    this.#metrics ??= this.#loadMetrics();
    const registry = await this.#metrics;
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  upstreams(): UpstreamList {
    return this.#proxy.upstreams.status();
  }

  /** Selects the member that a group tries first, null for automatic; returns whether both exist. */
  selectMember(group: string, member: string | null): boolean {
    return this.#proxy.upstreams.select(group, member ?? undefined);
  }

  /** Measures the latency of an upstream or of the members of a group; returns undefined if it does not exist. */
  async testUpstream(name: string): Promise<UpstreamTestList | undefined> {
    return this.#proxy.upstreams.test(name);
  }

  /** Returns whether an upstream works; may probe it. */
  async ready(): Promise<boolean> {
    return this.#proxy.upstreams.areReady();
  }

  rules(): RuleStatusList {
    return this.#proxy.router.rules;
  }

  async explain(target: Target, user: string | undefined): Promise<RouteExplanation> {
    const { config, gate, own, upstreams } = this.#proxy;
    const decision = explainRoute(config, target, user, { own, grants: gate.grants });
    const name = decision.upstream ?? '';
    const { pac, lines } = await explainPac(upstreams.script(name), target);
    const member = upstreams.group(name)?.current ?? null;
    return { ...decision, lines: [...decision.lines, ...lines], pac, member };
  }

  /** Starts a check; returns its id, or undefined if too many are in progress. */
  beginCheck(query: CheckQuery): number | undefined {
    return this.#checks.begin(query, this.#proxy);
  }

  /** Waits for the next event of a check; returns undefined after the last one. */
  async nextCheckEvent(id: number): Promise<CheckEvent | undefined> {
    return this.#checks.next(id);
  }

  abortCheck(id: number): void {
    this.#checks.abort(id);
  }

  history(): History {
    return this.#parts.history.list();
  }

  connections(query: ConnectionQuery): LiveConnectionList {
    return this.#proxy.connections.list(query);
  }

  /** Ends a connection; returns whether it existed. `by`: the address of the client that requests it. */
  endConnection(id: string, by: string): boolean {
    return this.#proxy.connections.end(id, by);
  }

  /** Ends all active connections that match; returns their number. */
  endConnections(filter: ConnectionFilter, by: string): number {
    return this.#proxy.connections.endAll(filter, by);
  }

  /** Returns the failures after a number, and counts. */
  failures(after: number): FailureList {
    return this.#proxy.reporter.recent.since(after);
  }

  /** Returns the targets that the rules refused, the newest first. */
  denials(): DenialList {
    const { config, gate } = this.#proxy;
    return { denials: gate.denials.list(config.upstreams[0]?.name ?? '') };
  }

  grants(): GrantList {
    return { grants: this.#proxy.gate.grants.list() };
  }

  /**
   * Grants access for a time.
   *
   * @param by - the address of the caller
   * @returns the reason if it is impossible
   */
  grant(grantTarget: GrantTarget, milliseconds: number, by: string): GrantResult {
    const { config, router, gate } = this.#proxy;
    if (!isGate(config)) return 'no gate';
    const rejected = router.rejects(grantTarget);
    return rejected === undefined ? (gate.grants.add(grantTarget, milliseconds, by) ?? 'too many') : { rejected };
  }

  /** Ends a grant; returns whether it existed. */
  endGrant(id: string, by: string): boolean {
    return this.#proxy.gate.grants.end(id, by);
  }

  asks(): QuestionList {
    return { asks: this.#proxy.gate.asks.list() };
  }

  /** Answers a question. `by`: the address of the caller. */
  answerAsk(id: string, answer: Answer, by: string): AnswerResult {
    return this.#proxy.gate.asks.answer(id, answer, by);
  }

  /** Receives the number of readers of the event stream: someone who watches the dashboard can answer. */
  watched(readers: number): void {
    this.#parts.watched(readers);
  }

  /**
   * Returns /proxy.pac.
   *
   * @param authority - the Host header of the request
   */
  pac(authority: string | undefined): PacPage {
    return pacPage(this.#proxy.pac, this.#pacAddress(), authority);
  }

  listeners(): ListenerList {
    const { config, endpoints } = this.#proxy;
    const listeners = config.listeners.flatMap((listener, index) => {
      const { mode, to, users, tls } = listener;
      const common = {
        mode,
        to: to === undefined ? null : formatAuthority(to),
        asks_for_password: users !== undefined,
        tls: tlsState(listener),
        spki: tls?.spki ?? null,
        valid_until: tls?.validUntil ?? null,
      };
      return (endpoints[index] ?? []).map(({ bound, path = null }) => {
        return { ...common, host: bound?.address ?? null, port: bound?.port ?? null, socket: path };
      });
    });
    return { listeners };
  }

  /** Returns the time of the last reload, or undefined before the first. */
  reloadedAt(): Date | undefined {
    return this.#parts.reloadedAt();
  }

  /** Logs an error of the pages. */
  report(message: string, detail: string): void {
    this.#parts.logger.error({ detail }, message);
  }

  /** Returns the listener that /proxy.pac names on the admin listener. */
  #pacAddress(): PacAddress | undefined {
    const { config, endpoints } = this.#proxy;
    const candidates = config.listeners.map((listener, index) => {
      return { listener, pacAddress: pacAddressOf(listener, endpoints[index] ?? []) };
    });
    const withPac = candidates.find(({ listener }) => listener.pac === true);
    const firstHttp = candidates.find(
      ({ listener, pacAddress }) => acceptsHttp(listener.mode) && pacAddress !== undefined,
    );
    return (withPac ?? firstHttp)?.pacAddress;
  }

  async #loadMetrics(): Promise<Registry> {
    const { log, requestLog } = this.#parts;
    const registry = await createMetricsRegistry(log);
    await registerProxyMetrics(registry, {
      stats: () => this.#proxy.stats.snapshot(),
      upstreams: () => this.#proxy.upstreams.status(),
      lists: () => this.#proxy.router.rules.lists,
      gate: this.#proxy.gate,
      requestLog,
    });
    return registry;
  }
}

/** Returns whether grants have an effect. */
function isGate({ rejectsByDefault, rules }: ProxyClientConfig): boolean {
  return rejectsByDefault || rules.some(({ to }) => to === ASK);
}

function tlsState(listener: ListenerConfig): ListenerStatus['tls'] {
  if (requiresTls(listener)) return 'required';
  return listener.tls === undefined ? 'off' : 'optional';
}
