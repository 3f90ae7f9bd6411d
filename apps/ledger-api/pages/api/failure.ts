/** A request that did not bring what it was made for. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** The status of the answer; 0 when there was none. */
  readonly status: number;
  /** The stable code of the refusal, such as `LEDGER.ASSET_EXISTS`; empty when there was no answer. */
  readonly code: string;
  /** Seconds after which the same request may be made again. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { status = 0, code = '', retryAfter }: FailureFacts = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** Whether nobody answered: the server is away, or the network to it. */
  get isDisconnected(): boolean {
    return this.status === 0;
  }

  /**
   * Whether the write may have been made although it was not confirmed: no answer came, or one that says so. Under the same
   * key it can be sent again.
   */
  get isOutcomeUnknown(): boolean {
    return this.status === 0 || this.code === 'LEDGER.OUTCOME_UNKNOWN' || this.code === 'LEDGER.KEY_IN_USE';
  }
}

interface FailureFacts {
  readonly status?: number;
  readonly code?: string;
  readonly retryAfter?: number | undefined;
}

/** The failure that an answer is. What stands in front of the API may answer with something else than its error shape. */
export function failureOf(response: Response, body: unknown): ApiFailure {
  const message = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : '';
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  return new ApiFailure(message === '' ? `The server answered with ${response.status}.` : message, {
    status: response.status,
    code: response.headers.get('x-error-code') ?? '',
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

/** The failure of a request to which no answer came. */
export const NO_ANSWER = 'The server does not answer.';
