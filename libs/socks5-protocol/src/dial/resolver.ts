import { lookup, type LookupAddress } from 'node:dns';
import { Resolver as DnsResolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Receives the addresses of a name in the order in which they should be tried, or the reason why it has none. */
export type Resolved = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** The system's name resolution: `dns.lookup` with `all`. */
export type SystemLookup = (host: string, options: { readonly all: true }, answer: Resolved) => void;

/** The maximum number of concurrent system look-ups: libuv reserves half of its four threads for them. */
const MAX_SYSTEM_LOOKUPS = 2;
/** How long a name waits for the system's resolver alone. */
const SYSTEM_ONLY_MS = 300;
const HOSTS_FILE = '/etc/hosts';
const NOT_FOUND: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

/** One name that is being resolved, for all requests that wait for it. */
interface Question {
  readonly host: string;
  readonly waiting: Set<Resolved>;
  /** The system is resolving it. */
  asked: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Resolves names as the machine does (getaddrinfo: hosts file, search domains and all), and falls back when that is blocked.
 * System look-ups block a thread each and cannot be cancelled, so two names whose servers do not answer would block every
 * other name for ten seconds and more. Therefore a name that has waited for a while is also looked up in the hosts file and
 * by DNS queries, which need no thread; the first answer counts.
 */
export class Resolver {
  readonly #lookup: SystemLookup;
  readonly #questions = new Map<string, Question>();
  readonly #queue = new Set<Question>();
  #running = 0;

  constructor(system: SystemLookup = lookup) {
    this.#lookup = system;
  }

  /**
   * Resolves a name; an address is its own answer.
   *
   * @param answer - called once, asynchronously
   * @returns a function that cancels the request: `answer` is not called any more
   */
  resolve(host: string, answer: Resolved): () => void {
    const family = isIP(host);
    if (family !== 0) return answerLater(answer, [{ address: host, family }]);
    const question = this.#questions.get(host) ?? this.#ask(host);
    question.waiting.add(answer);
    return () => {
      question.waiting.delete(answer);
      if (question.waiting.size === 0 && this.#queue.has(question)) this.#answer(question, null, []);
    };
  }

  #ask(host: string): Question {
    const question: Question = { host, waiting: new Set(), asked: false, timer: undefined };
    this.#questions.set(host, question);
    this.#queue.add(question);
    question.timer = setTimeout(() => {
      void this.#askDns(question);
    }, SYSTEM_ONLY_MS);
    this.#startQueued();
    return question;
  }

  #startQueued(): void {
    for (const question of this.#queue) {
      if (this.#running === MAX_SYSTEM_LOOKUPS) return;
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
      this.#startQueued();
    });
  }

  async #askDns(question: Question): Promise<void> {
    const { host } = question;
    try {
      const listed = await lookUpInHostsFile(host);
      this.#answer(question, null, listed.length > 0 ? listed : await lookUpInDns(host));
    } catch (error) {
      // The system may still find a name without a dot, by a search domain for instance.
      const final = !question.asked && host.includes('.') && NOT_FOUND.includes((error as NodeJS.ErrnoException).code);
      if (final) this.#answer(question, error as NodeJS.ErrnoException, []);
    }
  }

  #answer(question: Question, error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]): void {
    clearTimeout(question.timer);
    this.#queue.delete(question);
    if (this.#questions.get(question.host) === question) this.#questions.delete(question.host);
    const waiting = [...question.waiting];
    question.waiting.clear();
    for (const answer of waiting) {
      answer(error, addresses);
    }
  }
}

/**
 * Answers in a microtask.
 *
 * @returns a function that cancels the answer
 */
export function answerLater(answer: Resolved, addresses: readonly LookupAddress[]): () => void {
  let isCancelled = false;
  queueMicrotask(() => {
    if (!isCancelled) answer(null, addresses);
  });
  return () => {
    isCancelled = true;
  };
}

/** Returns the addresses of a name in the hosts file (hosts(5)); none if there is no such file. */
async function lookUpInHostsFile(host: string): Promise<LookupAddress[]> {
  const text = await readFile(HOSTS_FILE, 'latin1').catch(() => '');
  const name = host.toLowerCase();
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.some((each) => each.toLowerCase() === name) ? [{ address, family }] : [];
  });
}

/** Queries the machine's DNS servers for both address families at once; the first non-empty answer is enough. */
async function lookUpInDns(host: string): Promise<LookupAddress[]> {
  // A new resolver reads the current list of DNS servers.
  const dns = new DnsResolver({ timeout: 2000, tries: 2 });
  const ask = async (family: 4 | 6): Promise<LookupAddress[]> => {
    const addresses = await (family === 4 ? dns.resolve4(host) : dns.resolve6(host));
    return addresses.map((address) => ({ address, family }));
  };
  try {
    return await Promise.any([ask(4), ask(6)]);
  } catch (error) {
    const errors = (error as AggregateError).errors as NodeJS.ErrnoException[];
    throw errors.find(({ code }) => !NOT_FOUND.includes(code)) ?? errors[0] ?? error;
  } finally {
    dns.cancel();
  }
}
