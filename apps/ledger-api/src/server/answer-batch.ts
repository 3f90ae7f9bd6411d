import { ServerResponse, type IncomingMessage } from 'node:http';

/** So many answers at most wait for one another: the first of them waits while the others are made, well below 1 ms. */
const MOST = 16;

/** What is handed on as it came; `ServerResponse.end` takes its arguments in several forms. */
type EndArguments = readonly unknown[];

type EndingResponse = Omit<ServerResponse, 'end' | 'writableEnded'> & { end(...given: EndArguments): unknown };

/**
 * Answers that are finished in one turn of the event loop and go out together at its end. Written one by one, each wakes
 * whoever reads them on this machine (a proxy in front, a client), who sleeps again before the next one is there; waking a
 * process takes longer than making an answer to a read. A lone answer waits for nothing: its turn ends behind it.
 */
export class AnswerBatch {
  #waiting: (() => void)[] = [];
  #turn: NodeJS.Immediate | undefined;

  add(send: () => void): void {
    this.#turn ??= setImmediate(() => {
      this.sendAll();
    });
    this.#waiting.push(send);
    if (this.#waiting.length >= MOST) this.sendAll();
  }

  /** Sends what waits now. */
  sendAll(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
  }
}

/** Makes the class of answers whose ends wait in the batch, for the option `ServerResponse` of `http.createServer`. */
export function withAnswerBatch(batch: AnswerBatch): typeof ServerResponse {
  const Base = ServerResponse as unknown as new (request: IncomingMessage) => EndingResponse;
  class BatchedResponse extends Base {
    #isEnded = false;

    /** True from the call of `end` on, as Node has it: Fastify would wait for the answer of a request it has answered. */
    get writableEnded(): boolean {
      return this.#isEnded;
    }

    /** Only the end of an answer whose head is made is put off: whoever asks `headersSent` learns that it is answered. */
    override end(...given: EndArguments): this {
      if (this.headersSent) {
        this.#isEnded = true;
        batch.add(() => {
          this.#end(given);
        });
      } else {
        super.end(...given);
        this.#isEnded = true;
      }
      return this;
    }

    #end(given: EndArguments): void {
      try {
        super.end(...given);
      } catch (error) {
        // At the end of the turn nobody is there to catch it, and it would keep back the answers of others.
        this.destroy(error as Error);
      }
    }
  }
  return BatchedResponse as unknown as typeof ServerResponse;
}
