import type { Logger } from 'pino';
import { InvalidTokenError, TokenVerifier, type TokenFacts } from './token-verifier.js';
import { ApiError } from '../http/errors.js';
import type { CallersConfig } from '../config/config.js';
import type { Caller, Session } from './access.decorators.js';
import type { CallersError } from './caller-entry.js';
import { includesRole, type Role } from './caller-entry.js';
import { enrolCaller } from './caller-list.js';
import type { CallerRegistry, CallerOfSubject } from './caller-registry.js';
import { changeCallers } from './callers-file.js';

/** Characters of a subject that the log gets; no entry can have a longer one. */
const LOGGED_SUBJECT = 256;

/** The result of a lookup by token. */
export type TokenFinding =
  | { readonly outcome: 'known'; readonly session: Session }
  | { readonly outcome: 'no caller'; readonly subject: string }
  | { readonly outcome: 'bad token'; readonly reason: string };

/** Finds the caller of a token by its claim, and creates the caller if enrolment is on. */
export class TokenLogin {
  readonly #enrol: boolean;
  readonly #issuer: string;
  readonly #verifier: TokenVerifier;
  readonly #registry: CallerRegistry;
  readonly #logger: Logger;
  readonly #enrolling = new Map<string, Promise<CallerOfSubject | undefined>>();
  #reportedFault: string | undefined;

  constructor(config: NonNullable<CallersConfig['tokens']>, registry: CallerRegistry, logger: Logger) {
    this.#enrol = config.enrol;
    this.#issuer = config.issuer;
    this.#verifier = new TokenVerifier(config);
    this.#registry = registry;
    this.#logger = logger;
  }

  /**
   * @throws `API.ISSUER_UNAVAILABLE` when the token cannot be checked, `API.CALLERS_UNAVAILABLE` when no caller
   * can be made
   */
  async find(token: string): Promise<TokenFinding> {
    let facts: TokenFacts;
    try {
      facts = await this.#verifier.verify(token);
    } catch (error) {
      if (error instanceof InvalidTokenError) return { outcome: 'bad token', reason: error.message };
      throw this.#reported(error);
    }
    this.#report();
    const { subject, role, endsAt } = facts;
    const found = this.#registry.findBySubject(subject) ?? (this.#enrol ? await this.#enrolled(facts) : undefined);
    if (found === undefined) return { outcome: 'no caller', subject: subject.slice(0, LOGGED_SUBJECT) };
    const caller = callerAs(found, role);
    const current = (): Caller | undefined => {
      const now = Date.now() < endsAt ? this.#registry.findBySubject(subject) : undefined;
      return now?.caller.name === caller.name ? callerAs(now, role) : undefined;
    };
    return { outcome: 'known', session: { caller, current } };
  }

  /** Returns why new tokens cannot be verified now, or undefined. Asks a failed issuer again. */
  fault(): string | undefined {
    const { fault } = this.#verifier;
    if (fault === undefined) return undefined;
    this.prepare();
    return `The issuer of tokens ${this.#issuer} cannot be asked: ${fault}.`;
  }

  /** Has the keys of the issuer fetched before anybody waits for them. */
  prepare(): void {
    this.#verifier.prepare().then(
      () => {
        this.#report();
      },
      (error: unknown) => this.#reported(error),
    );
  }

  /** Concurrent requests of one who is new make one caller. */
  async #enrolled({ subject, role = 'reader' }: TokenFacts): Promise<CallerOfSubject | undefined> {
    const enrolling = this.#enrolling.get(subject) ?? this.#makeCaller(subject, role);
    this.#enrolling.set(subject, enrolling);
    try {
      return await enrolling;
    } finally {
      this.#enrolling.delete(subject);
    }
  }

  async #makeCaller(subject: string, role: Role): Promise<CallerOfSubject | undefined> {
    let refusal: CallersError | undefined;
    try {
      await changeCallers(this.#registry.file, (callers) => {
        try {
          return enrolCaller(callers, { subject, role });
        } catch (error) {
          refusal = error as CallersError;
          throw error;
        }
      });
      await this.#registry.refresh();
    } catch (error) {
      // The caller was revoked, or its subject cannot be a name: not an error of this program.
      if (refusal !== undefined) return undefined;
      this.#logger.error({ err: error }, 'a caller could not be made of a token');
      throw new ApiError('API.CALLERS_UNAVAILABLE');
    }
    const made = this.#registry.findBySubject(subject);
    if (made !== undefined) this.#logger.info({ caller: made.caller.name, subject, role }, 'caller made of a token');
    return made;
  }

  /** Logs once that the issuer fails, and once that it is back. */
  #report(): void {
    const { fault } = this.#verifier;
    if (fault === this.#reportedFault) return;
    this.#reportedFault = fault;
    const facts = { issuer: this.#issuer, reason: fault };
    if (fault === undefined) this.#logger.info(facts, 'the issuer of tokens can be asked again');
    else
      this.#logger.warn(
        facts,
        'the issuer of tokens cannot be asked: callers with tokens that were not seen before get 503',
      );
  }

  #reported(error: unknown): Error {
    if (!(error instanceof ApiError)) throw error;
    this.#report();
    return error;
  }
}

/** A token can allow less than its caller may, never more; of a caller who was made of one it alone says what. */
function callerAs({ caller, isEnrolled }: CallerOfSubject, role: Role | undefined): Caller {
  if (isEnrolled) return { name: caller.name, role: role ?? 'reader' };
  const isLess = role !== undefined && !includesRole(role, caller.role);
  return isLess ? { name: caller.name, role } : caller;
}
