import { RawConnection } from '../raw-http.js';

/**
 * Detects when a running proxy has read what was sent to it on another connection. A request that is written behind those
 * bytes is read in the same turn of the program's loop or later, and one that follows the answer to it in a later one: so
 * after two answers the turn in which the bytes were there is over. (A pause would only make that likely, and /proc/net/tcp
 * takes 50 ms on a machine with many connections.)
 */
export class LoopTurns implements Disposable {
  readonly #connection: RawConnection;

  private constructor(connection: RawConnection) {
    this.#connection = connection;
  }

  static async of(url: string): Promise<LoopTurns> {
    return new LoopTurns(await RawConnection.open(url));
  }

  readonly between = async (): Promise<void> => {
    for (let turn = 0; turn < 2; turn += 1) {
      this.#connection.received = '';
      await this.#connection.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n').until('healthy');
    }
  };

  [Symbol.dispose](): void {
    this.#connection.socket.destroy();
  }
}
