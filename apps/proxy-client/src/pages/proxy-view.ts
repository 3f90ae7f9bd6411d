import type { ProxyStatsSnapshot } from '#metrics';
import type { ConnectionList, ConnectionQuery } from '../activity/live-connections.js';
import type { ListenerMode } from '../config/proxy-client-config.js';
import type { RecentFailure } from '../failure/failure-reporter.js';
import type { PacPage } from '../listener/pac-page.js';
import type { UpstreamsSnapshot } from '../upstream/upstreams.js';

/** Metrics as Prometheus scrapes them. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** A listener for clients, as pages show it. */
export interface ListenerSnapshot {
  readonly mode: ListenerMode;
  /** That it is bound to. */
  readonly host: string;
  readonly port: number;
  /** `host:port` where a tunnel leads. */
  readonly to: string | undefined;
  readonly asksForPassword: boolean;
}

/** What the admin pages show. They run on a thread of their own, so everything is asked for (docs/adr/0084). */
export interface ProxyView {
  /** The counters at the moment. */
  snapshot(): Promise<ProxyStatsSnapshot>;
  metrics(): Promise<MetricsText>;
  /** How the upstreams do at the moment. */
  upstreams(): Promise<UpstreamsSnapshot>;
  /** Whether one of them works; it may be tried for the answer. */
  ready(): Promise<boolean>;
  /** What connections of clients are used for at the moment. */
  connections(query: ConnectionQuery): Promise<ConnectionList>;
  /** Ends one of them; whether there was one. */
  endConnection(id: string): Promise<boolean>;
  /** The last failures, the latest first. */
  failures(): Promise<readonly RecentFailure[]>;
  /** /proxy.pac, for who asks under this Host. */
  pac(authority: string | undefined): Promise<PacPage>;
  /** Where it listens for clients, in the order of the configuration. */
  listeners(): Promise<readonly ListenerSnapshot[]>;
  /** When the configuration was last read anew; undefined until then. */
  reloadedAt(): Promise<Date | undefined>;
}

/** Token of the {@link ProxyView}. */
export const PROXY_VIEW = Symbol('ProxyView');

/** Where the thread of the pages is to listen. */
export interface AdminPlace {
  readonly host: string;
  readonly port: number;
  /** The last of the ports that are tried; without it there is the one. */
  readonly orUpTo?: number | undefined;
  readonly guard: PageGuard;
}

/** Who may see what. */
export interface PageGuard {
  /** Names under which the pages are served, beside addresses and localhost; in lower case. */
  readonly allowedHosts: ReadonlySet<string>;
  /** What whoever asks has to show; undefined: nothing. */
  readonly token: string | undefined;
  /** Whether /proxy.pac is shown without it, as a proxy listener shows it to everybody. */
  readonly isPacOpen: boolean;
}

/** What the thread of the pages may ask. */
export type Question = keyof ProxyView;

/** What is said to the thread of the pages. */
export type ToPages =
  | { readonly type: 'listen'; readonly place: AdminPlace }
  /** From now on this holds. */
  | { readonly type: 'guard'; readonly guard: PageGuard }
  /** The proxy is about to end. */
  | { readonly type: 'drain' }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** What it says. */
export type FromPages =
  | { readonly type: 'listening'; readonly address: string; readonly port: number }
  | { readonly type: 'refused'; readonly code: string }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question; readonly about: readonly unknown[] }
  | { readonly type: 'fault'; readonly message: string; readonly detail: string };
