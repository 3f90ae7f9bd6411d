import type { Denial } from '../../admin/api/gate.responses.js';
import { formatAuthority } from '../../http/authority.js';
import type { RouteQuery } from '../rules/rule.js';
import { grantFor } from './grants.js';

/** The maximum number of listed denials. */
const MAX_DENIALS = 200;
/** The maximum length of the text of a refusal, in bytes, line feed included. */
const MAX_REFUSAL_BYTES = 300;

/** The rule that refused a request. */
export interface RefusingRule {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** The refused requests for one target, by one rule. */
interface Refused {
  readonly target: string;
  readonly grant: string | undefined;
  readonly rule: RefusingRule | undefined;
  readonly firstAt: number;
  lastAt: number;
  count: number;
  client: string | undefined;
  user: string | undefined;
}

/** The targets that were refused last, each with what would allow it. Its memory is bounded. */
export class Denials {
  readonly #clock: () => number;
  /** By target and rule, the last refused ones last. */
  readonly #refused = new Map<string, Refused>();
  #byDefault = 0;

  /** @param clock - milliseconds since the epoch */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** The number of requests that were refused because no rule matched. */
  get byDefault(): number {
    return this.#byDefault;
  }

  /**
   * Adds a request that was refused.
   *
   * @param rule - undefined: no rule matched
   * @returns the `HOST:PORT` of a grant that would allow it; undefined if only a change of the rules can
   */
  add({ target, client }: RouteQuery, rule: RefusingRule | undefined): string | undefined {
    const now = this.#clock();
    const grant = grantFor(target);
    // All spellings of an address are one target.
    const shown = grant ?? formatAuthority(target);
    const key = `${rule?.number ?? ''} ${shown}`;
    const known = this.#refused.get(key) ?? { target: shown, grant, rule, firstAt: now, count: 0 };
    const { remoteAddress, user } = client;
    this.#refused.delete(key);
    this.#refused.set(key, { ...known, rule, lastAt: now, count: known.count + 1, client: remoteAddress, user });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MAX_DENIALS && oldest !== undefined) this.#refused.delete(oldest);
    if (rule === undefined) this.#byDefault += 1;
    return rule === undefined ? grant : undefined;
  }

  /**
   * Returns the denials, the newest first, in the form of GET /denials.
   *
   * @param to - the upstream of the suggested rules
   */
  list(to: string): readonly Denial[] {
    return Array.from(this.#refused.values(), (each) => present(each, to)).reverse();
  }
}

function present({ target, grant, rule, firstAt, lastAt, count, client, user }: Refused, to: string): Denial {
  return {
    target,
    rule: rule?.number ?? null,
    rule_text: rule?.text ?? null,
    count,
    first_at: new Date(firstAt).toISOString(),
    last_at: new Date(lastAt).toISOString(),
    client: client ?? null,
    user: user ?? null,
    command: grant === undefined || rule !== undefined ? null : allowCommand(grant),
    allowing_rule: grant === undefined ? null : allowingRule(grant, to),
  };
}

/** Returns the command that allows a target for an hour. */
export function allowCommand(grant: string): string {
  return `proxy-client allow ${grant} --for 1h`;
}

/** Returns the rule that allows a target, as YAML on one line. */
export function allowingRule(grant: string, to: string): string {
  const colon = grant.lastIndexOf(':');
  return `{ hosts: [${JSON.stringify(grant.slice(0, colon))}], ports: [${grant.slice(colon + 1)}], to: ${JSON.stringify(to)} }`;
}

/**
 * Returns the text of a refusal: the rule that refuses the request, and how to request permission. A program that reads it, such as
 * an agent, can pass it on to a person.
 *
 * @param rule - the number of the rule; undefined: no rule matches
 * @param grant - the `HOST:PORT` of a grant that would allow the request, which contains no characters but those of a host
 */
export function refusalText(rule: number | undefined, grant?: string): string {
  if (rule !== undefined) {
    return `Refused by rule ${rule} of this proxy. Only a change of its rules allows this destination: ask its operator.`;
  }
  return refusalOf({ reason: 'default', ...(grant !== undefined && { grant }) });
}

/** Why a request is refused although no rule rejects it. */
export interface Refusal {
  readonly reason: keyof typeof REASONS;
  /** The `HOST:PORT` of a grant that would allow the request; absent: none would. */
  readonly grant?: string;
}

const REASONS = {
  default: (target: string) => `Refused: no rule of this proxy allows ${target} (default: reject).`,
  no: (target: string) => `Refused: a person has answered no for ${target}.`,
  unattended: (target: string) => `Refused: ${target} needs the yes of a person, and none is there to answer.`,
  busy: (target: string) => `Refused: ${target} needs the yes of a person, and too many requests wait for one.`,
  unanswered: (target: string) => `No person has answered yet whether ${target} is allowed. Try again.`,
} as const;

/** Returns the text of a {@link Refusal}, in at most 300 bytes. */
export function refusalOf({ reason, grant }: Refusal): string {
  const describe = REASONS[reason];
  if (grant === undefined) return describe('this destination');
  const named = `${describe(grant)} ${askFor(grant)}`;
  return named.length < MAX_REFUSAL_BYTES ? named : `${describe('this destination')} ${askFor('HOST:PORT')}`;
}

function askFor(grant: string): string {
  return `To ask, have its operator run: ${allowCommand(grant)}`;
}
