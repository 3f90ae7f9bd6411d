import fc from 'fast-check';
import { formatAddress, parseSocks5Target } from '../codec/address.js';
import { type AuthMethod, encodeConnectRequest, encodeGreeting, Method } from '../codec/messages.js';
import { ReusedBuffer } from '../testing/reused-buffer.js';
import { ClientHandshake } from './client-handshake.js';
import { type ServerFault, ServerHandshake, type ServerStep } from './server-handshake.js';

const READ = new ReusedBuffer();
const credentials = { username: 'me', password: 'secret' };

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

/** Feeds a piece, and decides about the credentials that come with it. */
function feed(server: ServerHandshake, piece: Uint8Array): { step: ServerStep; sent: string } {
  return READ.lend(piece, (chunk) => {
    let step = server.feed(chunk);
    let sent = hex(step.write);
    if (step.kind === 'credentials') {
      const { username, password } = step.credentials;
      step = server.admit(username === credentials.username && password === credentials.password);
      sent += hex(step.write);
    }
    return { step, sent };
  });
}

function feedAll(server: ServerHandshake, pieces: readonly Uint8Array[]): { step: ServerStep; sent: string } {
  let sent = '';
  let step: ServerStep = { kind: 'wait', write: new Uint8Array(0) };
  for (const piece of pieces) {
    const after = feed(server, piece);
    step = after.step;
    sent += after.sent;
    if (step.kind === 'request') break;
  }
  return { step, sent };
}

describe('ServerHandshake', () => {
  it.each([
    ['no authentication', Method.none, '0500'],
    ['user name and password', Method.password, '05020100'],
  ] as const)('reads the flight of the client, however it is split (%s)', (_name, method, answers) => {
    const anyTarget = fc.record({
      host: fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()),
      port: fc.integer({ min: 1, max: 65_535 }),
    });
    fc.assert(
      fc.property(anyTarget, fc.uint8Array({ maxLength: 9 }), fc.array(fc.nat(300)), ({ host, port }, rest, cuts) => {
        const target = parseSocks5Target(host, port);
        const flight = new ClientHandshake([method], credentials).oneFlight(target);
        const all = Buffer.concat([flight, rest]);
        const at = [...new Set(cuts.filter((cut) => cut > 0 && cut < flight.length))].sort((a, b) => a - b);
        const pieces = [0, ...at].map((start, index) => all.subarray(start, at[index]));
        const { step, sent } = feedAll(new ServerHandshake(method === Method.password), pieces);
        expect(step).toMatchObject({ kind: 'request', target, rest });
        expect(sent).toBe(answers);
      }),
    );
  });

  it('answers step by step', () => {
    const server = new ServerHandshake(true);
    expect(hex(server.feed(encodeGreeting([Method.none, Method.password])).write)).toBe('0502');
    expect(server.feed(bytes('01026d6506736563726574'))).toMatchObject({ kind: 'credentials', credentials });
    expect(server.feed(new Uint8Array(0)).kind).toBe('wait');
    expect(hex(server.admit(true).write)).toBe('0100');
    const step = server.feed(encodeConnectRequest(parseSocks5Target('::1', 80)));
    expect(step.kind === 'request' && formatAddress(step.target.address)).toBe('::1');
  });

  it.each<[string, AuthMethod | undefined, string, string, ServerFault]>([
    ['SOCKS4', undefined, '04010050', '', 'not SOCKS5'],
    ['HTTP', undefined, '474554', '', 'not SOCKS5'],
    ['no methods', undefined, '0500', '05ff', 'no acceptable authentication method'],
    ['only GSSAPI', undefined, '050101', '05ff', 'no acceptable authentication method'],
    ['no password where one is wanted', Method.password, '050100', '05ff', 'no acceptable authentication method'],
    ['a wrong password', Method.password, '05010201026d650177', '05020101', 'wrong user name or password'],
    ['a sub-negotiation of another version', Method.password, '05010202', '05020101', 'not SOCKS5'],
    ['BIND', undefined, '0501000502000101020304 0050', '050005070001000000000000', 'a command other than CONNECT'],
    [
      'UDP ASSOCIATE',
      undefined,
      '05010005030001000000000000',
      '050005070001000000000000',
      'a command other than CONNECT',
    ],
    [
      'an unknown type of address',
      undefined,
      '05010005010005',
      '050005080001000000000000',
      'no target, or one of an unknown type',
    ],
    [
      'an empty name',
      undefined,
      '05010005010003000050',
      '050005010001000000000000',
      'no target, or one of an unknown type',
    ],
    [
      'port 0',
      undefined,
      '05010005010001010203040000',
      '050005010001000000000000',
      'no target, or one of an unknown type',
    ],
    ['another version in the request', undefined, '05010004', '0500', 'not SOCKS5'],
  ])('closes on %s', (_name, method, sends, answers, fault) => {
    const server = new ServerHandshake(method !== undefined);
    const { step, sent } = feedAll(server, [bytes(sends.replaceAll(' ', ''))]);
    expect(step).toMatchObject({ kind: 'close', fault });
    expect(sent).toBe(answers);
    expect(server.feed(bytes('05')).kind).toBe('close');
  });
});
