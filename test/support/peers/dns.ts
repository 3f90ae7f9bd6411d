import { once } from 'node:events';
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';

/** The numbers of record types (RFC 1035, RFC 3596). */
export const DNS_TYPE = { A: 1, AAAA: 28 } as const;
const HEADER = 12;
const NAME_ERROR = 3;

/** Returns the bytes of a question: a name, a type and the class IN. */
function question(name: string, type: number): Buffer {
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([...labels, Buffer.from([0, 0, type, 0, 1])]);
}

function header(id: number, flags: number, answers: number): Buffer {
  const bytes = Buffer.alloc(HEADER);
  [id, flags, 1, answers].forEach((value, index) => bytes.writeUInt16BE(value, 2 * index));
  return bytes;
}

/** A DNS server for one test that answers every question with one address. */
export class DnsServer implements AsyncDisposable {
  readonly #socket: Socket = createSocket('udp4');

  private constructor(addresses: Readonly<Record<number, Buffer>>) {
    this.#socket.on('message', (message, { port, address }) => {
      const end = message.indexOf(0, HEADER) + 5;
      const asked = message.subarray(HEADER, end);
      const type = asked.readUInt16BE(asked.length - 4);
      const data = addresses[type];
      const record = data && [Buffer.from([0xc0, HEADER, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data];
      const bytes = Buffer.concat([header(message.readUInt16BE(0), 0x8180, record ? 1 : 0), asked, ...(record ?? [])]);
      this.#socket.send(bytes, port, address);
    });
  }

  /** @param ipv4 - the answer to questions for A */
  static async start(ipv4: string): Promise<DnsServer> {
    const server = new DnsServer({ [DNS_TYPE.A]: Buffer.from(ipv4.split('.').map(Number)) });
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}

/** Asks a DNS server on this machine. Questions wait for each other's answers, so that none is lost. */
export class DnsClient implements AsyncDisposable {
  readonly #socket: Socket = createSocket('udp4');
  readonly #port: number;
  #id = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Returns the first address in the answer; undefined if there is none, `none` if the name does not exist. */
  async ask(name: string, type: number): Promise<string | undefined> {
    this.#id = (this.#id + 1) & 0xffff;
    const id = this.#id;
    const asked = question(name, type);
    this.#socket.send(Buffer.concat([header(id, 0x0100, 0), asked]), this.#port, '127.0.0.1');
    for (;;) {
      const [answer] = (await once(this.#socket, 'message')) as [Buffer];
      if (answer.readUInt16BE(0) !== id) continue;
      return (answer.readUInt16BE(2) & 0xf) === NAME_ERROR ? 'none' : addressIn(answer, HEADER + asked.length, type);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}

/** Returns the first address of a type after the question. Names of records are pointers, as servers write them. */
function addressIn(answer: Buffer, from: number, type: number): string | undefined {
  for (let at = from, left = answer.readUInt16BE(6); left > 0; left -= 1) {
    const length = answer.readUInt16BE(at + 10);
    const data = answer.subarray(at + 12, at + 12 + length);
    if (answer.readUInt16BE(at + 2) === type) return textOf(data);
    at += 12 + length;
  }
  return undefined;
}

function textOf(data: Buffer): string {
  const text = data.length === 4 ? data.join('.') : data.toString('hex').match(/.{4}/g)!.join(':');
  return isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}
