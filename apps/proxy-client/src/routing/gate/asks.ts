import type { Question as QuestionStatus } from '../../admin/api/gate.responses.js';
import type { AskConfig } from '../../config/proxy-client-config.js';
import { formatAuthority } from '../../http/authority.js';
import type { RouteQuery } from '../rules/rule.js';
import { readHost } from '../rules/addresses.js';
import { allowCommand, type Refusal } from './denials.js';
import { grantFor, LONGEST_GRANT_MS, parseGrantTarget, type Grants } from './grants.js';

/** How a person answers a question. */
export interface Answer {
  readonly answer: 'yes' | 'no';
  /** How long a yes applies: milliseconds, for retries only, for a day, or for ever by a rule of the configuration. */
  readonly for: number | 'once' | 'day' | 'always';
  /** Instead of the host of the question: an entry that covers it, such as `*.example.com`. */
  readonly host?: string | undefined;
}

/** What {@link Asks.answer} has done. */
export type AnswerResult =
  | { readonly question: QuestionStatus }
  | { readonly conflict: string }
  | { readonly invalid: string }
  | 'unknown';

/** The result of a question. */
type Outcome = 'yes' | 'no' | 'expired' | 'closed';

/** A request that waits. */
interface Waiter {
  readonly query: RouteQuery;
  readonly client: string;
  readonly routed: () => void;
  readonly refused: (refusal: Refusal) => void;
}

/** An open question: may clients reach a target? */
interface Question {
  readonly id: string;
  readonly query: RouteQuery;
  /** As `HOST:PORT` of a grant. */
  readonly target: string;
  readonly rule: number | undefined;
  readonly askedAt: number;
  readonly until: number;
  readonly timer: NodeJS.Timeout;
  readonly waiters: Set<Waiter>;
  /** The number of requests so far, including those whose client has given up. */
  requests: number;
}

/** The limits of requests that wait, and the times in milliseconds. */
export type AskLimits = Omit<AskConfig, 'notify'>;

/** What {@link Asks} needs of the proxy. */
export interface AskParts {
  /** The present settings. */
  readonly settings: () => AskLimits;
  readonly grants: Grants;
  /** Whether there is anyone who can answer. */
  readonly isAttended: () => boolean;
  /** A question was asked. */
  readonly asked: (question: QuestionStatus) => void;
  /** A question has ended. `by`: who answered. */
  readonly ended: (question: QuestionStatus, outcome: Outcome, by: string | undefined) => void;
  /** Writes a rule to the configuration; returns why that is impossible. Absent: there is no file. */
  readonly writeRule?: ((target: string, rule: number | undefined) => string | undefined) | undefined;
}

/** The time for which `once` applies: clients try again after an error. */
const ONCE_MS = 60_000;
/** The number of targets whose refusal is remembered, and of answered questions. */
const MAX_REMEMBERED = 1000;

/**
 * Requests that wait for the answer of a person. All requests for a target share one question, which outlives them: clients give up
 * after a few seconds and try again, and a late yes serves the retry. A yes is a grant.
 */
export class Asks {
  readonly #parts: AskParts;
  readonly #open = new Map<string, Question>();
  /** Until when a no applies, by target; by the monotonic clock. */
  readonly #refused = new Map<string, number>();
  /** How questions ended, by id. */
  readonly #answered = new Map<string, string>();
  readonly counts = { asked: 0, yes: 0, no: 0, expired: 0 };
  #lastId = 0;
  #isClosed = false;

  constructor(parts: AskParts) {
    this.#parts = parts;
  }

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#waiters().length;
  }

  /**
   * Returns whether a request may wait; the caller then calls {@link wait}.
   *
   * @returns why it is refused at once; undefined if it may wait
   */
  refusal(query: RouteQuery): Refusal | undefined {
    const target = grantFor(query.target);
    if (target === undefined) return { reason: 'default' };
    if ((this.#refused.get(target) ?? 0) > performance.now()) return { reason: 'no', grant: target };
    if (!this.#parts.isAttended()) return { reason: 'unattended', grant: target };
    return this.#isFull(target, query) ? { reason: 'busy', grant: target } : undefined;
  }

  /**
   * Lets a request wait for the answer; asks if no question about the target is open.
   *
   * @param rule - the number of the rule that asks; undefined: no rule matches
   * @returns a function that ends the wait, because the client has disconnected
   */
  wait(query: RouteQuery, rule: number | undefined, outcome: Pick<Waiter, 'routed' | 'refused'>): () => void {
    const target = grantFor(query.target) ?? formatAuthority(query.target);
    const question = this.#questionAbout(target, query, rule);
    const waiter: Waiter = { query, client: clientOf(query), ...outcome };
    question.waiters.add(waiter);
    question.requests += 1;
    if (question.requests === 1) this.#parts.asked(statusOf(question));
    return () => void question.waiters.delete(waiter);
  }

  /**
   * Answers a question.
   *
   * @param by - who answers, for the log
   */
  answer(id: string, { answer, for: time, host }: Answer, by: string): AnswerResult {
    const question = this.#questions().find((each) => each.id === id);
    if (question === undefined) {
      const earlier = this.#answered.get(id);
      return earlier === undefined ? 'unknown' : { conflict: `This question has ended: ${earlier}.` };
    }
    if (answer === 'no') {
      this.#remember(question.target);
      return { question: this.#end(question, 'no', by) };
    }
    const target = grantTargetFor(question, host);
    if (target === undefined) return { invalid: 'host must be the host of the question, or *.name that covers it.' };
    if (time === 'always') {
      const problem = this.#writeRule(formatAuthority(target), question.rule);
      if (problem !== undefined) return { conflict: `The rule cannot be written: ${problem}.` };
    }
    const milliseconds = typeof time === 'number' ? time : DURATIONS[time];
    const before = statusOf(question);
    if (this.#parts.grants.add(target, milliseconds, by) === undefined)
      return { conflict: 'There are too many grants.' };
    return { question: before };
  }

  /** Ends the questions that a new grant answers. @param by - who granted it */
  granted(by: string): void {
    for (const question of this.#questions())
      if (this.#parts.grants.covers(question.query)) this.#end(question, 'yes', by);
  }

  /** Returns the open questions, the oldest first. */
  list(): readonly QuestionStatus[] {
    return this.#questions().map(statusOf);
  }

  /** Fails the requests that wait, because the proxy closes. */
  close(): void {
    this.#isClosed = true;
    for (const question of this.#questions()) this.#end(question, 'closed', undefined);
  }

  #questionAbout(target: string, query: RouteQuery, rule: number | undefined): Question {
    const open = this.#open.get(target);
    if (open !== undefined) return open;
    const { timeout } = this.#parts.settings();
    const id = String((this.#lastId += 1));
    const { target: requested, client } = query;
    const question: Question = {
      ...{ id, target, rule, waiters: new Set<Waiter>(), requests: 0 },
      // Not the query itself, which would retain the connection of its client.
      query: { target: requested, client: { remoteAddress: client.remoteAddress, user: client.user } },
      askedAt: Date.now(),
      until: Date.now() + timeout,
      timer: setTimeout(() => this.#end(question, 'expired', undefined), timeout).unref(),
    };
    this.#open.set(target, question);
    this.counts.asked += 1;
    return question;
  }

  #end(question: Question, outcome: Outcome, by: string | undefined): QuestionStatus {
    clearTimeout(question.timer);
    this.#open.delete(question.target);
    const status = statusOf(question);
    if (outcome !== 'closed') this.counts[outcome] += 1;
    remember(this.#answered, question.id, by === undefined ? outcome : `${outcome}, by ${by}`);
    this.#parts.ended(status, outcome, by);
    for (const waiter of question.waiters) {
      if (outcome === 'yes') waiter.routed();
      else waiter.refused({ reason: outcome === 'no' ? 'no' : 'unanswered', grant: question.target });
    }
    question.waiters.clear();
    return status;
  }

  #isFull(target: string, query: RouteQuery): boolean {
    const { waiting, waitingPerClient, questions } = this.#parts.settings();
    if (this.#isClosed) return true;
    if (!this.#open.has(target) && this.#open.size >= questions) return true;
    const waiters = this.#waiters();
    const client = clientOf(query);
    return waiters.length >= waiting || waiters.filter((each) => each.client === client).length >= waitingPerClient;
  }

  #remember(target: string): void {
    const { refusedFor } = this.#parts.settings();
    if (refusedFor > 0) remember(this.#refused, target, performance.now() + refusedFor);
  }

  #writeRule(target: string, rule: number | undefined): string | undefined {
    const { writeRule } = this.#parts;
    return writeRule === undefined ? 'the configuration is not in a file' : writeRule(target, rule);
  }

  #questions(): readonly Question[] {
    return [...this.#open.values()];
  }

  #waiters(): readonly Waiter[] {
    return this.#questions().flatMap(({ waiters }) => [...waiters]);
  }
}

/** The words for the time of a yes. A rule needs a grant until the configuration is reloaded. */
const DURATIONS = {
  once: ONCE_MS,
  day: LONGEST_GRANT_MS,
  always: LONGEST_GRANT_MS,
} as const;

/** Adds an entry to a map of bounded size. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}

function clientOf({ client }: RouteQuery): string {
  return client.remoteAddress ?? '';
}

/** Returns what a yes allows; undefined if the host does not cover that of the question. */
function grantTargetFor({ target }: Question, host: string | undefined) {
  const own = parseGrantTarget(target);
  if (own === undefined || host === undefined) return own;
  const entry = parseGrantTarget(`${host}:${own.port}`);
  if (entry === undefined) return undefined;
  const isSame = entry.host === own.host;
  const isAbove = entry.host.startsWith('*.') && readHost(own.host).name.endsWith(entry.host.slice(1));
  return isSame || isAbove ? entry : undefined;
}

function statusOf({ id, target, rule, askedAt, until, waiters, requests, query }: Question): QuestionStatus {
  return {
    ...{ id, target, rule: rule ?? null, waiting: waiters.size, requests },
    client: query.client.remoteAddress ?? null,
    user: query.client.user ?? null,
    asked_at: new Date(askedAt).toISOString(),
    until: new Date(until).toISOString(),
    command: allowCommand(target),
  };
}
