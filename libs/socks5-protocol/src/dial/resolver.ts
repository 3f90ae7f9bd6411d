import { lookup, type LookupAddress, Resolver as DnsResolver } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Is told which addresses a name has, in the order in which they should be tried, or why it has none. */
export type Resolved = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** Asks for the addresses of a name as the machine's programs do, and answers later: `dns.lookup` with `all`. */
export type SystemLookup = (host: string, options: { readonly all: true }, answer: Resolved) => void;

/** Look-ups that the system may have at a time: libuv lends them half of its four threads, and the others wait. */
const SLOTS = 2;
/** So long a name waits for the system's resolver alone. */
const PATIENCE_MS = 300;
const HOSTS_FILE = '/etc/hosts';
const NOT_THERE: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

/** One name that is being resolved, for all who wait for it. */
interface Question {
  readonly host: string;
  readonly waiting: Set<Resolved>;
  /** The system has it. */
  asked: boolean;
  patience: NodeJS.Timeout | undefined;
}

/**
 * Resolves names as the machine does (getaddrinfo: hosts file, search domains and all), and goes on when that is held up. Its
 * look-ups block a thread each and cannot be ended, so two names whose servers do not answer would stop every other name for
 * ten seconds and more. Hence a name that has waited for a moment is looked for in the hosts file and asked of the DNS servers
 * beside that, which takes no thread; the first answer counts.
 */
export class Resolver {
  readonly #lookup: SystemLookup;
  readonly #questions = new Map<string, Question>();
  readonly #queue = new Set<Question>();
  #running = 0;

  constructor(system: SystemLookup = lookup) {
    this.#lookup = system;
  }

  /** {@link Resolver.resolve} in the form of `dns.lookup`, for those who do not give up. */
  readonly lookup: SystemLookup = (host, _options, answer) => {
    this.resolve(host, answer);
  };

  /**
   * Resolves a name; an address is its own answer.
   *
   * @param answer - called once, later
   * @returns ends the wait: `answer` will not be called any more
   */
  resolve(host: string, answer: Resolved): () => void {
    const family = isIP(host);
    if (family !== 0) {
      return later(() => {
        answer(null, [{ address: host, family }]);
      });
    }
    const question = this.#questions.get(host) ?? this.#ask(host);
    question.waiting.add(answer);
    return () => {
      question.waiting.delete(answer);
      if (question.waiting.size === 0 && this.#queue.has(question)) {
        this.#answer(question, null, []);
      }
    };
  }

  #ask(host: string): Question {
    const question: Question = { host, waiting: new Set(), asked: false, patience: undefined };
    this.#questions.set(host, question);
    this.#queue.add(question);
    question.patience = setTimeout(() => {
      void this.#askBeside(question);
    }, PATIENCE_MS);
    this.#next();
    return question;
  }

  #next(): void {
    for (const question of this.#queue) {
      if (this.#running === SLOTS) {
        return;
      }
      this.#queue.delete(question);
      this.#askSystem(question);
    }
  }

  #askSystem(question: Question): void {
    this.#running += 1;
    question.asked = true;
    this.#lookup(question.host, { all: true }, (error, addresses) => {
      this.#running -= 1;
      this.#answer(question, error, addresses);
      this.#next();
    });
  }

  async #askBeside(question: Question): Promise<void> {
    const { host } = question;
    try {
      const listed = await addressesInHosts(host);
      this.#answer(question, null, listed.length > 0 ? listed : await addressesInDns(host));
    } catch (error) {
      // What the system would add, a search domain for instance, is for names without a dot.
      const final = !question.asked && host.includes('.') && NOT_THERE.includes((error as NodeJS.ErrnoException).code);
      if (final) {
        this.#answer(question, error as NodeJS.ErrnoException, []);
      }
    }
  }

  #answer(question: Question, error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]): void {
    clearTimeout(question.patience);
    this.#queue.delete(question);
    if (this.#questions.get(question.host) === question) {
      this.#questions.delete(question.host);
    }
    const waiting = [...question.waiting];
    question.waiting.clear();
    for (const answer of waiting) {
      answer(error, addresses);
    }
  }
}

/** @returns ends the wait for it */
function later(action: () => void): () => void {
  let isWanted = true;
  queueMicrotask(() => {
    if (isWanted) {
      action();
    }
  });
  return () => {
    isWanted = false;
  };
}

/** What the hosts file says of a name (hosts(5)); nothing where there is no such file. */
async function addressesInHosts(host: string): Promise<LookupAddress[]> {
  const text = await readFile(HOSTS_FILE, 'latin1').catch(() => '');
  const name = host.toLowerCase();
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.some((each) => each.toLowerCase() === name) ? [{ address, family }] : [];
  });
}

/** Asks the DNS servers of the machine for both kinds of addresses at once; with one kind the other is not waited for. */
async function addressesInDns(host: string): Promise<LookupAddress[]> {
  // A resolver of its own reads anew which servers there are.
  const dns = new DnsResolver({ timeout: 2000, tries: 2 });
  const ask = async (family: 4 | 6): Promise<LookupAddress[]> =>
    new Promise((resolve, reject) => {
      dns[`resolve${family}`](host, (error, addresses) => {
        if (error === null) {
          resolve(addresses.map((address) => ({ address, family })));
        } else {
          reject(error);
        }
      });
    });
  try {
    return await Promise.any([ask(4), ask(6)]);
  } catch (error) {
    const errors = (error as AggregateError).errors as NodeJS.ErrnoException[];
    throw errors.find(({ code }) => !NOT_THERE.includes(code)) ?? errors[0] ?? error;
  } finally {
    dns.cancel();
  }
}
