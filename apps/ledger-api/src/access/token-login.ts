import type { Logger } from 'pino';
import { changeCallers, enrolCaller, limitRoles, type Roles } from '#ledger-callers';
import type { TokenOptions } from '#ledger-config';
import { ApiError } from '../http/errors.js';
import type { Caller } from './access.decorators.js';
import type { CallerOfSubject, CallerRegistry, Lookup } from './caller-registry.js';
import { InvalidTokenError, TokenVerifier, type TokenFacts } from './token-verifier.js';

/** Characters of a subject that are logged; no entry can have a longer one. */
const LOGGED_SUBJECT = 256;

/** Finds the caller of a token by its claim, and creates the caller if enrolment is on. */
export class TokenLogin {
  readonly #verifier: TokenVerifier;
  readonly #enrolling = new Map<string, Promise<void>>();

  constructor(
    private readonly config: TokenOptions,
    private readonly registry: CallerRegistry,
    private readonly logger: Logger,
  ) {
    this.#verifier = new TokenVerifier(config, logger);
    // Before the first token arrives.
    void this.#verifier.prepare();
  }

  /** @throws `API.ISSUER_UNAVAILABLE` if the token cannot be verified, `API.CALLERS_UNAVAILABLE` if a caller cannot be created */
  async find(token: string): Promise<Lookup> {
    let facts: TokenFacts;
    try {
      facts = await this.#verifier.verify(token);
    } catch (error) {
      if (error instanceof InvalidTokenError) return { outcome: 'bad token', reason: error.message };
      throw error;
    }
    const { subject, role, endsAt } = facts;
    if (this.config.enrol && this.registry.findBySubject(subject) === undefined) await this.#enrol(facts);
    const found = this.registry.findBySubject(subject);
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
    void this.#verifier.prepare();
    return `The issuer of tokens ${this.config.issuer} is unavailable: ${error}.`;
  }

  /** Concurrent requests with tokens of the same new caller change the file once. */
  #enrol({ subject, role = 'reader' }: TokenFacts): Promise<void> {
    const enrolling =
      this.#enrolling.get(subject) ??
      this.#createCaller(subject, role).finally(() => {
        this.#enrolling.delete(subject);
      });
    this.#enrolling.set(subject, enrolling);
    return enrolling;
  }

  /** Creates no caller for a subject that was revoked, or that no entry can have. */
  async #createCaller(subject: string, role: Roles): Promise<void> {
    try {
      await changeCallers(this.registry.file, (callers) => enrolCaller(callers, { subject, role }));
      await this.registry.refresh();
    } catch (error) {
      this.logger.error({ err: error }, 'a caller could not be created from a token');
      throw new ApiError('API.CALLERS_UNAVAILABLE');
    }
    const caller = this.registry.findBySubject(subject)?.caller.name;
    if (caller !== undefined) this.logger.info({ caller, subject, role }, 'a caller was created from a token');
  }
}

/** A token can reduce the permissions of its caller. For a caller that was created from a token, it alone states the role. */
function callerAs({ caller, isEnrolled }: CallerOfSubject, role: Roles | undefined): Caller {
  if (isEnrolled) return { name: caller.name, role: role ?? 'reader' };
  return role === undefined ? caller : { name: caller.name, role: limitRoles(caller.role, role) };
}
