import { hashPassword } from '../password-hash.js';
import { Users } from '../users.js';

/** As many attempts to log in as may wait for the proxies in this process, until it is disposed of. */
export class Crowd implements AsyncDisposable {
  readonly #users: Users;
  readonly #attempts: readonly Promise<void>[];
  #isOver = false;

  private constructor(users: Users) {
    this.#users = users;
    // One whose password is being hashed, and 64 behind it.
    this.#attempts = Array.from({ length: 65 }, async (_, index) => this.#insist(String(index)));
  }

  static async gather(): Promise<Crowd> {
    const password = await hashPassword('right', { logN: 4, blockSize: 1, parallel: 1 });
    return new Crowd(new Users([{ name: 'other', password }]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#attempts);
  }

  /** Tries one wrong password after the other, in the same turn in which the one before was found wrong. */
  async #insist(who: string): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      const found = await this.#users.check({ username: 'other', password: `${who} ${round}` });
      if (found !== 'wrong') throw new Error(`a wrong password was found ${found}`);
    }
  }
}
