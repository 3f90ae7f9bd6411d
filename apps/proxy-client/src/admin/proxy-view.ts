import type { ConnectionFilter, ConnectionQuery } from '../activity/connections.js';
import type { FailureList, LiveConnectionList } from './api/activity.responses.js';
import type { DenialList, Grant, GrantList, QuestionList } from './api/gate.responses.js';
import type { Health, History, ListenerList, Stats } from './api/monitoring.responses.js';
import type { RouteExplanation, RuleStatusList } from './api/routes.responses.js';
import type { UpstreamList, UpstreamTestList } from './api/upstreams.responses.js';
import type { CheckEvent, CheckQuery } from './running-checks.js';
import type { AdminConfig } from '../config/proxy-client-config.js';
import type { Answer, AnswerResult } from '../routing/gate/asks.js';
import type { GrantTarget } from '../routing/gate/grants.js';
import type { Target } from '../http/authority.js';
import type { PacPage } from '../listener/own-pages.js';
import type { BoundAddress } from '../routing/rules/own-addresses.js';
import type { AccessRules } from './access-rules.js';
import type { Remote } from './thread-rpc.js';

/** A grant, or why there is none; `rejected`: what rejects the requests anyway. */
export type GrantResult = Grant | 'no gate' | 'too many' | { readonly rejected: string };

/** The data of the admin pages, in the form in which they send it. The main thread has this object. */
export interface ProxyView {
  stats(): Stats;
  health(): Health;
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  upstreams(): UpstreamList;
  /** Selects the member that a group tries first, null for automatic; returns whether both exist. */
  selectMember(group: string, member: string | null): boolean;
  /** Measures the latency of an upstream or of the members of a group; returns undefined if it does not exist. */
  testUpstream(name: string): Promise<UpstreamTestList | undefined>;
  /** Returns whether an upstream works; may probe it. */
  ready(): Promise<boolean>;
  rules(): RuleStatusList;
  explain(target: Target, user: string | undefined): Promise<RouteExplanation>;
  /** Starts a check; returns its id, or undefined if too many are in progress. */
  beginCheck(query: CheckQuery): number | undefined;
  /** Waits for the next event of a check; returns undefined after the last one. */
  nextCheckEvent(id: number): Promise<CheckEvent | undefined>;
  abortCheck(id: number): void;
  history(): History;
  connections(query: ConnectionQuery): LiveConnectionList;
  /** Ends a connection; returns whether it existed. `by`: the address of the client that requests it. */
  endConnection(id: string, by: string): boolean;
  /** Ends all active connections that match; returns their number. */
  endConnections(filter: ConnectionFilter, by: string): number;
  /** Returns the failures after a number, and counts. */
  failures(after: number): FailureList;
  denials(): DenialList;
  grants(): GrantList;
  /**
   * Grants access for a time.
   *
   * @param by - the address of the caller
   * @returns the reason if it is impossible
   */
  grant(grantTarget: GrantTarget, milliseconds: number, by: string): GrantResult;
  asks(): QuestionList;
  /** Answers a question. `by`: the address of the caller. */
  answerAsk(id: string, answer: Answer, by: string): AnswerResult;
  /** Receives the number of readers of the event stream: someone who watches the dashboard can answer. */
  watched(readers: number): void;
  /** Ends a grant; returns whether it existed. */
  endGrant(id: string, by: string): boolean;
  /**
   * Returns /proxy.pac.
   *
   * @param authority - the Host header of the request
   */
  pac(authority: string | undefined): PacPage;
  listeners(): ListenerList;
  /** Returns the time of the last reload, or undefined before the first. */
  reloadedAt(): Date | undefined;
  /** Logs an error of the pages. */
  report(message: string, detail: string): void;
}

/** The {@link ProxyView} on the thread of the pages, where each method is a remote call (docs/adr/0084). */
export type RemoteView = Remote<ProxyView>;

/** The injection token of the {@link RemoteView}. */
export const PROXY_VIEW = Symbol('ProxyView');

/** Where to listen: on the first free port up to `orUpTo`, or on `port` only. */
export type AdminAddress = Pick<AdminConfig, 'host' | 'port' | 'orUpTo'>;

/** The methods of the thread of the pages that the main thread calls. */
export interface PagesThread {
  /** Listens on the first port that is free; returns its address, or the error code. */
  listen(address: AdminAddress, access: AccessRules): Promise<BoundAddress | { readonly code: string }>;
  /** Applies other rules, also to open event streams. */
  setAccess(access: AccessRules): void;
  /** Sends the last event to all event streams, and resolves when they are closed. */
  drain(): Promise<void>;
}
