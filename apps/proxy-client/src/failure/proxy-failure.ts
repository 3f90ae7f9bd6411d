import { FormatError } from '../http/field-lines.js';
import { FAILURES, type FailureCategory, type FailureRow } from './failure-table.js';

/** Details of a failure in addition to its category: for the log and for Proxy-Status, never for the body. */
export interface FailureFacts {
  /** The SOCKS5 reply code as received. */
  readonly replyCode?: number;
  /** Of an upstream: it does not work, or it works and reports that the target does not. */
  readonly fault?: 'server' | 'target';
  /** A short constant text that names the check or step that failed; it never contains anything of a request. */
  readonly detail?: string;
  /** The number of the rule that refuses the request. */
  readonly rule?: number;
  /** The rule that refuses the request, and how to request permission: for the client and the request log, at most 300 bytes. */
  readonly refusal?: string;
  /** Instead of the text of the category, if more is known: constant words, so that it cannot contain anything of a request. */
  readonly text?: string;
  /** The text of that rule, for the admin pages only. */
  readonly ruleText?: string | undefined;
}

/** What the log contains about a request that failed. Never headers, and of the URL only the authority. */
export interface FailedRequest {
  readonly method?: string | undefined;
  /** `host:port`, if it is known and well-formed. */
  readonly target?: string | undefined;
  /** The upstream through which it failed; of a group the member. */
  readonly upstream?: string | undefined;
  /** The number of the rule that selected the upstream. */
  readonly rule?: number | undefined;
  /** The client's address. */
  readonly client?: string | undefined;
  /** The authenticated user. */
  readonly user?: string | undefined;
}

/** A request that the proxy could not serve; its category decides status, header, counter and log line. */
export class ProxyFailure extends Error {
  readonly category: FailureCategory;
  readonly facts: FailureFacts;

  constructor(category: FailureCategory, facts: FailureFacts = {}, cause?: unknown) {
    super(FAILURES[category].text, cause === undefined ? undefined : { cause });
    this.name = 'ProxyFailure';
    this.category = category;
    this.facts = facts;
  }

  get row(): FailureRow {
    return FAILURES[this.category];
  }

  /** What failed and what to check; it contains nothing of a request but a rule. */
  get text(): string {
    return this.facts.refusal ?? this.facts.text ?? this.row.text;
  }

  /** Returns the same failure with the name of the hop of a chain that failed. */
  atHop(name: string): ProxyFailure {
    const { detail } = this.facts;
    const named = detail === undefined ? `hop ${name}` : `hop ${name}: ${detail}`;
    return new ProxyFailure(this.category, { ...this.facts, detail: named }, this.cause);
  }

  /** Converts an error to a failure: `bad_request` for a malformed request, `internal` for an unexpected error. */
  static from(error: unknown): ProxyFailure {
    if (error instanceof FormatError) {
      const category = error.fault === 'header_too_large' ? 'request_header_too_large' : 'bad_request';
      return new ProxyFailure(category, { detail: error.message });
    }
    return error instanceof ProxyFailure ? error : new ProxyFailure('internal', {}, error);
  }
}
