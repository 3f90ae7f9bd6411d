import { contain, type DefectOwner } from '#socks5-protocol';
import type { PacConfig } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { Attempt, ConnectOutcome, ConnectQuery, Upstream } from './upstream.js';
import type { Target } from '../http/authority.js';
import { PAC_ERRORS, type PacEntry, parsePacAnswer, urlForPac } from '../pac/pac-answer.js';
import { PacEvaluator, type PacReply, type PacRequest } from '../pac/pac-evaluator.js';

/** Returns the upstream for what a script has chosen: an upstream, or a group if there are alternatives. */
export type FindWay = (entries: readonly PacEntry[]) => Upstream | 'own';

export interface PacUpstreamOptions {
  readonly name: string;
  readonly config: PacConfig;
  readonly findWay: FindWay;
  /** Receives the message of an exception of the script. */
  readonly report: (fields: object) => void;
}

/** What a script returned for a URL, for the pages. */
export interface PacAnswer {
  readonly url: string;
  /** The text that it returned, or why there is none. */
  readonly text: string;
}

/**
 * A PAC script that chooses the upstream of each request. The connection is that of the chosen upstream; what the script does not
 * choose never becomes a direct connection.
 */
export class PacUpstream implements Upstream {
  readonly name: string;
  /** The servers that it chooses have a state; it has none. */
  readonly isDown = false;
  readonly #options: PacUpstreamOptions;
  #script: string | undefined;
  #evaluator: PacEvaluator | undefined;
  #last: PacAnswer | undefined;

  constructor(options: PacUpstreamOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get config(): PacConfig {
    return this.#options.config;
  }

  /** The last answer. */
  get last(): PacAnswer | undefined {
    return this.#last;
  }

  /** The key of the upstream that the script has chosen for the URL a short time ago; otherwise one that no connection has. */
  keyFor(query: ConnectQuery, origin: string): string {
    const reply = this.#evaluatorNow()?.cached(requestOf(query));
    const way = reply === undefined ? undefined : this.#wayOf(reply);
    return way === undefined || way instanceof ProxyFailure
      ? JSON.stringify(['pac', this.name, origin])
      : way.keyFor(query, origin);
  }

  begin(query: ConnectQuery, outcome: ConnectOutcome): Attempt {
    return new PacAttempt(this, query, outcome);
  }

  /** Evaluates the script for a request. */
  async choose(query: ConnectQuery): Promise<{ readonly answer: PacAnswer; readonly way: Upstream | ProxyFailure }> {
    const request = requestOf(query);
    const reply = await (this.#evaluatorNow()?.find(request) ?? Promise.resolve<PacReply>({ error: 'script' }));
    const way = this.#wayOf(reply);
    const text = 'error' in reply ? PAC_ERRORS[reply.error] : reply.result.slice(0, MAX_SHOWN);
    const answer = { url: request.url, text };
    this.#last = answer;
    if ('error' in reply && reply.message !== undefined) {
      this.#options.report({ upstream: this.name, exception: reply.message });
    }
    return { answer, way };
  }

  /** Ends the thread of the script. */
  close(): void {
    this.#evaluator?.close();
    this.#evaluator = undefined;
    this.#script = undefined;
  }

  /** Starts with the present content of the file, which a refresh may have replaced. */
  #evaluatorNow(): PacEvaluator | undefined {
    const { file, resolves } = this.#options.config;
    const script = file.content;
    if (script !== this.#script || this.#evaluator === undefined) {
      this.#evaluator?.close();
      this.#script = script;
      this.#evaluator = script === undefined ? undefined : new PacEvaluator({ script, resolves });
    }
    return this.#evaluator;
  }

  #wayOf(reply: PacReply): Upstream | ProxyFailure {
    if ('error' in reply) return failureOf(reply.error);
    const entries = parsePacAnswer(reply.result);
    if (entries.length === 0) return failureOf('unreadable');
    const allowed = this.#options.config.direct ? entries : entries.filter(({ kind }) => kind !== 'direct');
    if (allowed.length === 0) return failureOf('direct');
    const way = this.#options.findWay(allowed);
    return way === 'own' ? failureOf('own') : way;
  }
}

/** Longer answers are cut for logs and pages. */
const MAX_SHOWN = 300;

function requestOf({ target, url }: ConnectQuery): PacRequest {
  return { url: urlForPac(target, url), host: target.host.toLowerCase() };
}

function failureOf(error: keyof typeof PAC_ERRORS): ProxyFailure {
  return new ProxyFailure('pac_failed', { detail: `PAC: ${error}`, text: PAC_ERRORS[error] });
}

/** One request: the evaluation of the script, then the attempt of the chosen upstream. */
class PacAttempt implements Attempt, ConnectOutcome, DefectOwner {
  readonly #pac: PacUpstream;
  readonly #outcome: ConnectOutcome;
  #attempt: Attempt | undefined;
  #isFinished = false;

  constructor(pac: PacUpstream, query: ConnectQuery, outcome: ConnectOutcome) {
    this.#pac = pac;
    this.#outcome = outcome;
    pac.choose(query).then(
      ({ way }) => {
        contain(this, () => {
          this.#chosen(way, query);
        });
      },
      (error: unknown) => {
        this.onDefect(error);
      },
    );
  }

  abort(): void {
    this.#isFinished = true;
    this.#attempt?.abort();
  }

  expire(): void {
    if (this.#attempt !== undefined) this.#attempt.expire();
    else this.failed(new ProxyFailure('timeout'), this.#pac);
  }

  authenticated(): void {
    this.#outcome.authenticated?.();
  }

  connected(connection: ByteSource, through: Upstream): void {
    this.#isFinished = true;
    this.#outcome.connected(connection, through);
  }

  failed(failure: ProxyFailure, through: Upstream): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#outcome.failed(failure, through);
  }

  onDefect(error: unknown): void {
    this.failed(new ProxyFailure('internal', {}, error), this.#pac);
  }

  #chosen(way: Upstream | ProxyFailure, query: ConnectQuery): void {
    if (this.#isFinished) return;
    if (way instanceof ProxyFailure) this.failed(way, this.#pac);
    else this.#attempt = way.begin(query, this);
  }
}

/** Evaluates the PAC script of a route, and explains its answer. No connection is opened. */
export async function explainPac(
  script: PacUpstream | undefined,
  target: Target,
): Promise<{ readonly pac: string | null; readonly lines: readonly string[] }> {
  if (script === undefined) return { pac: null, lines: [] };
  const { answer, way } = await script.choose({ target, client: {} });
  const next = way instanceof ProxyFailure ? `so the request fails: ${way.text}` : `so the request goes to ${way.name}`;
  return { pac: answer.text, lines: [`the script returned for ${answer.url}: ${answer.text}`, next] };
}
