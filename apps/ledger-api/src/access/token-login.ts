import type { Logger } from 'pino';
import type { TokenOptions } from '../config/config.js';
import { ApiError } from '../http/errors.js';
import type { Caller } from './access.decorators.js';
import { CallersError, enrolCaller, includesRole, type Role } from './caller-list.js';
import type { CallerOfSubject, CallerRegistry, Lookup } from './caller-registry.js';
import { changeCallers } from './callers-file.js';
import { InvalidTokenError, TokenVerifier, type TokenFacts } from './token-verifier.js';

/** Characters of a subject that are logged; no entry can have a longer one. */
const LOGGED_SUBJECT = 256;

/** Finds the caller of a token by its claim, and creates the caller if enrolment is on. */
export class TokenLogin {
  readonly #verifier: TokenVerifier;
  readonly #enrolling = new Map<string, Promise<CallerOfSubject | undefined>>();
  #reportedError: string | undefined;

  constructor(
    private readonly config: TokenOptions,
    private readonly registry: CallerRegistry,
    private readonly logger: Logger,
  ) {
    this.#verifier = new TokenVerifier(config);
  }

  /** @throws `API.ISSUER_UNAVAILABLE` if the token cannot be verified, `API.CALLERS_UNAVAILABLE` if a caller cannot be created */
  async find(token: string): Promise<Lookup> {
    let facts: TokenFacts;
    try {
      facts = await this.#verifier.verify(token);
    } catch (error) {
      if (error instanceof InvalidTokenError) return { outcome: 'bad token', reason: error.message };
      throw error;
    } finally {
      this.#reportIssuer();
    }
    const { subject, role, endsAt } = facts;
    const found = this.registry.findBySubject(subject) ?? (this.config.enrol ? await this.#enrolled(facts) : undefined);
    if (found === undefined) return { outcome: 'no caller', subject: subject.slice(0, LOGGED_SUBJECT) };
    const caller = callerAs(found, role);
    const current = (): Caller | undefined => {
      const now = Date.now() < endsAt ? this.registry.findBySubject(subject) : undefined;
      return now?.caller.name === caller.name ? callerAs(now, role) : undefined;
    };
    return { outcome: 'known', session: { caller, current } };
  }

  /** Returns the reason why new tokens cannot be verified now, or undefined. Tries a failed issuer again. */
  fault(): string | undefined {
    const { error } = this.#verifier;
    if (error === undefined) return undefined;
    this.prepare();
    return `The issuer of tokens ${this.config.issuer} is unavailable: ${error}.`;
  }

  /** Fetches the keys of the issuer before the first token arrives. */
  prepare(): void {
    const report = (): void => {
      this.#reportIssuer();
    };
    this.#verifier.prepare().then(report, report);
  }

  /** Concurrent requests with tokens of the same new caller create one caller. */
  async #enrolled({ subject, role = 'reader' }: TokenFacts): Promise<CallerOfSubject | undefined> {
    const enrolling = this.#enrolling.get(subject) ?? this.#createCaller(subject, role);
    this.#enrolling.set(subject, enrolling);
    try {
      return await enrolling;
    } finally {
      this.#enrolling.delete(subject);
    }
  }

  async #createCaller(subject: string, role: Role): Promise<CallerOfSubject | undefined> {
    let refusal: unknown;
    try {
      await changeCallers(this.registry.file, (callers) => {
        try {
          return enrolCaller(callers, { subject, role });
        } catch (error) {
          refusal = error;
          throw error;
        }
      });
      await this.registry.refresh();
    } catch (error) {
      // The caller was revoked, or its subject cannot be a name: not an error of this program.
      if (refusal instanceof CallersError) return undefined;
      this.logger.error({ err: error }, 'a caller could not be created from a token');
      throw new ApiError('API.CALLERS_UNAVAILABLE');
    }
    const created = this.registry.findBySubject(subject);
    if (created !== undefined) {
      this.logger.info({ caller: created.caller.name, subject, role }, 'a caller was created from a token');
    }
    return created;
  }

  /** Logs once that the issuer is unavailable, and once that it is available again. */
  #reportIssuer(): void {
    const { error: reason } = this.#verifier;
    if (reason === this.#reportedError) return;
    this.#reportedError = reason;
    const facts = { issuer: this.config.issuer, reason };
    if (reason === undefined) this.logger.info(facts, 'the issuer of tokens is available again');
    else this.logger.warn(facts, 'the issuer of tokens is unavailable: callers with new tokens receive 503');
  }
}

/** A token can reduce the permissions of its caller. For a caller that was created from a token, it alone states the role. */
function callerAs({ caller, isEnrolled }: CallerOfSubject, role: Role | undefined): Caller {
  if (isEnrolled) return { name: caller.name, role: role ?? 'reader' };
  const isLess = role !== undefined && !includesRole(role, caller.role);
  return isLess ? { name: caller.name, role } : caller;
}
