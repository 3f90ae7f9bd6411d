import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Tries {
  /** The answer, without the parts that contain the time. */
  readonly answers: ReadonlySet<string>;
  /** How far the medians of the names' times are apart at most, in standard errors of such a distance. */
  readonly standardErrors: number;
}

/** The standard error of a median, of that of a mean; and the interquartile range, of the standard deviation. */
const OF_MEAN = 1.2533;
const OF_DEVIATION = 1.349;

/** Tries passwords that are wrong, each another one, for each name in random order. */
export async function compareTries(
  url: string,
  protocol: 'HTTP' | 'SOCKS5',
  names: readonly string[],
  count: number,
): Promise<Tries> {
  const answers = new Set<string>();
  const times = new Map(names.map((name): [string, number[]] => [name, []]));
  const tryOne = protocol === 'HTTP' ? askByHttp : askBySocks5;
  for (let index = 0; index < count; index += 1) {
    const name = names[Math.floor(Math.random() * names.length)]!;
    const { answer, milliseconds } = await tryOne(url, name, `wrong ${String(index).padStart(6, '0')}`);
    answers.add(answer.replace(/^date: .*\r\n/im, ''));
    times.get(name)!.push(milliseconds);
  }
  const figures = [...times.values()].map(medianOf);
  const apart = figures.flatMap((one) =>
    figures.map((other) => Math.abs(one.median - other.median) / Math.hypot(one.error, other.error)),
  );
  return { answers, standardErrors: Math.max(...apart) };
}

interface Try {
  readonly answer: string;
  readonly milliseconds: number;
}

async function askByHttp(url: string, name: string, password: string): Promise<Try> {
  const credentials = Buffer.from(`${name}:${password}`).toString('base64');
  const head = `GET http://127.0.0.1:9/ HTTP/1.1\r\nHost: 127.0.0.1:9\r\nConnection: close\r\n`;
  const socket = await open(url);
  return timed(socket, `${head}Proxy-Authorization: Basic ${credentials}\r\n\r\n`);
}

async function askBySocks5(url: string, name: string, password: string): Promise<Try> {
  const socket = await open(url);
  socket.write(Uint8Array.of(5, 1, 2));
  await once(socket, 'data');
  const [user, secret] = [Buffer.from(name), Buffer.from(password)];
  const login = Buffer.concat([Uint8Array.of(1, user.length), user, Uint8Array.of(secret.length), secret]);
  return timed(socket, login);
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** Until the first byte of the answer, which is read to its end. */
async function timed(socket: Socket, question: string | Buffer): Promise<Try> {
  const pieces: Buffer[] = [];
  const began = performance.now();
  let milliseconds = 0;
  socket.on('data', (piece: Buffer) => {
    milliseconds ||= performance.now() - began;
    pieces.push(piece);
  });
  socket.write(question);
  await once(socket, 'close');
  return { answer: Buffer.concat(pieces).toString('latin1'), milliseconds };
}

function medianOf(times: readonly number[]): { readonly median: number; readonly error: number } {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? NaN;
  const deviation = (at(0.75) - at(0.25)) / OF_DEVIATION;
  return { median: at(0.5), error: (OF_MEAN * deviation) / Math.sqrt(sorted.length) };
}
