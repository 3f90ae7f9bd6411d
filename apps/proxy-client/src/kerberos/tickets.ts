import { ConfigError } from '../config/config-faults.js';
import type { ProxyClientConfig, TicketRequest } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { TimedWorker, WorkerError } from '../threads/timed-worker.js';

/** A token, or why there is none. */
export type TicketReply =
  | { readonly token: string }
  | { readonly error: 'koffi' | 'library' | 'kerberos' | 'other' | 'silent' | 'ended'; readonly text: string };

type FailedReply = Extract<TicketReply, { readonly error: string }>;

/** The version that this program was tested with. */
const KOFFI = 'koffi@3.3.4';
/** A Kerberos server that accepts a connection and stays silent would block the library for 25 s. */
const TIMEOUT_MS = 5000;
/** Failures are remembered for this time, so that requests do not wait for each other. */
const REMEMBER_MS = 10_000;

/** Obtains tokens for HTTP proxies by Kerberos, in a thread. A token is for one connection. */
export class Tickets {
  readonly #worker: TimedWorker<TicketRequest | 'load', TicketReply>;
  readonly #failures = new Map<string, { readonly reply: FailedReply; readonly until: number }>();
  readonly #clock: () => number;
  #loaded: Promise<unknown> | undefined;

  /**
   * @param timeout - milliseconds for a token
   * @param clock - milliseconds
   */
  constructor(timeout = TIMEOUT_MS, clock: () => number = performance.now.bind(performance)) {
    this.#clock = clock;
    this.#worker = new TimedWorker({ name: 'kerberos', relativeTo: import.meta.url, timeout });
  }

  /** Loads the library; returns why it cannot be used. */
  async problem(): Promise<string | undefined> {
    const reply = await this.#call('load');
    return 'error' in reply ? textOf(reply.error, reply.text, '') : undefined;
  }

  /**
   * Returns a fresh token.
   *
   * @throws {@link ProxyFailure} `upstream_ticket`
   */
  async token(request: TicketRequest): Promise<string> {
    const key = JSON.stringify([request.service, request.keytab]);
    const known = this.#knownFailure(key);
    if (known !== undefined) throw failureOf(known, request);
    // On its own, so that the start of the thread does not count for the first token.
    this.#loaded ??= this.#call('load');
    await this.#loaded;
    const reply = await this.#call(request, () => this.#knownFailure(key));
    if ('token' in reply) {
      this.#failures.delete(key);
      return reply.token;
    }
    if (this.#knownFailure(key) === undefined) this.#failures.set(key, { reply, until: this.#clock() + REMEMBER_MS });
    throw failureOf(reply, request);
  }

  /** Ends the thread. */
  close(): void {
    this.#worker.close();
  }

  #knownFailure(key: string): FailedReply | undefined {
    const known = this.#failures.get(key);
    return known !== undefined && this.#clock() < known.until ? known.reply : undefined;
  }

  async #call(request: TicketRequest | 'load', known?: () => TicketReply | undefined): Promise<TicketReply> {
    try {
      return await this.#worker.call(request, known);
    } catch (error) {
      if (error instanceof WorkerError) return { error: error.code, text: error.message };
      throw error;
    }
  }
}

function failureOf({ error, text }: FailedReply, { service }: TicketRequest): ProxyFailure {
  const detail = `ticket: ${text.slice(0, 200)}`;
  const advice = textOf(error, text, service.replace('@', '/'));
  return new ProxyFailure('upstream_ticket', { fault: 'server', detail, text: advice });
}

/** What the texts of the library mean, and what helps. */
const CAUSES: readonly (readonly [text: RegExp, advice: (service: string, matched: string) => string])[] = [
  [/expired/i, () => 'The Kerberos ticket has expired: run kinit, or set keytab.'],
  [
    /Server krbtgt\/([^@\s]+)@\S+ not found/i,
    (service, realm) =>
      `No Kerberos realm is known for ${service} (${realm} was tried): add its domain to domain_realm in krb5.conf.`,
  ],
  [
    /Server (\S+) not found/i,
    (service) =>
      `The Kerberos server does not know ${service}: use the full name of the proxy as host, or set servicePrincipal.`,
  ],
  [
    /Cannot (?:contact any|find) KDC for (?:requested )?realm|Cannot contact any KDC/i,
    () => 'The Kerberos server of the realm cannot be reached.',
  ],
  [/Clock skew/i, () => 'The clock of this machine differs from that of the Kerberos server.'],
  [
    /No credentials|No Kerberos credentials|find mechanisms|No such file|keytab/i,
    () => 'There is no Kerberos ticket: run kinit as the user of the proxy, or set keytab.',
  ],
];

/** Explains why there is no token, for clients and the operator. */
export function textOf(error: Extract<TicketReply, { error: string }>['error'], text: string, service: string): string {
  if (error === 'koffi') return `auth: negotiate needs the package koffi, which is not installed: npm install ${KOFFI}`;
  if (error === 'library')
    return 'auth: negotiate needs the Kerberos library of MIT: install libgssapi-krb5-2 (Debian) or krb5-libs.';
  if (error === 'silent') return 'The Kerberos server does not answer in time.';
  if (error === 'ended') return `The thread for Kerberos cannot run. ${text}`;
  for (const [expression, advice] of CAUSES) {
    const [matched, name = ''] = expression.exec(text) ?? [];
    if (matched !== undefined) return advice(service, name);
  }
  return `No Kerberos ticket for ${service} could be obtained. The details of the log name the reason.`;
}

/** The name of the only upstream, if the key `upstream` specifies it. */
const SINGLE = 'upstream';

/**
 * Loads the Kerberos library if an upstream of a configuration needs it, so that a machine that lacks it is found before the first
 * request. One fault is reported, also if several upstreams need it.
 *
 * @throws {@link ConfigError}
 */
export async function requireKerberos({ upstreams }: Pick<ProxyClientConfig, 'upstreams'>): Promise<void> {
  const server = upstreams.find((each) => each.kind === 'http' && each.negotiate !== undefined);
  if (server === undefined) return;
  const tickets = new Tickets();
  try {
    const problem = await tickets.problem();
    const source = server.name === SINGLE ? SINGLE : `upstreams.${server.name}`;
    if (problem !== undefined) throw new ConfigError([{ source, problem }]);
  } finally {
    tickets.close();
  }
}
