import { hashPassword } from '../password-hash.js';
import type { PasswordChecks } from '../password-checks.js';
import { Users } from '../users.js';

/** Keeps the waiting checks of 127.0.0.1 in a queue full, until it is disposed of. */
export class Crowd implements AsyncDisposable {
  readonly #users: Users;
  readonly #attempts: readonly Promise<void>[];
  #isDisposed = false;

  private constructor(users: Users) {
    this.#users = users;
    // One that is being hashed, and 64 waiting ones.
    this.#attempts = Array.from({ length: 65 }, async (_, index) => this.#tryAgain(String(index)));
  }

  static async gather(checks: PasswordChecks): Promise<Crowd> {
    const password = await hashPassword('right', { logN: 4, blockSize: 1, parallel: 1 });
    return new Crowd(new Users([{ name: 'other', password }], checks));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await Promise.all(this.#attempts);
  }

  /** Tries wrong passwords, each in the turn in which the previous one was refused. */
  async #tryAgain(who: string): Promise<void> {
    for (let round = 0; !this.#isDisposed; round++) {
      const found = await this.#users.check({ username: 'other', password: `${who} ${round}` }, '127.0.0.1');
      if (found !== 'wrong') throw new Error(`a wrong password was found ${found}`);
    }
  }
}
