import fc from 'fast-check';
import { parseSocks5Target } from '../codec/address.js';
import { type AuthMethod, encodeReply, Method, Reply } from '../codec/messages.js';
import { Socks5Error } from '../codec/socks5-error.js';
import { ReusedBuffer } from '../testing/reused-buffer.js';
import { ClientHandshake, type ClientStep } from './client-handshake.js';

const READ = new ReusedBuffer();
const target = parseSocks5Target('example.com', 443);
const credentials = { username: 'me', password: 'secret' };
const PASSWORD_FRAME = '01026d6506736563726574';
const REQUEST_FRAME = '050100030b6578616d706c652e636f6d01bb';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

function stepwise(offer: readonly AuthMethod[] = [Method.none]): ClientHandshake {
  const handshake = new ClientHandshake(offer, credentials);
  handshake.greet();
  return handshake;
}

/** Brings a handshake to where it awaits the reply. */
function requested(): ClientHandshake {
  const handshake = stepwise();
  handshake.feed(bytes('0500'));
  handshake.request(target);
  return handshake;
}

function failure(act: () => unknown): Socks5Error {
  try {
    act();
  } catch (error) {
    return error as Socks5Error;
  }
  throw new Error('It did not fail.');
}

function feedAll(handshake: ClientHandshake, pieces: readonly Uint8Array[]): ClientStep {
  let step: ClientStep = { kind: 'wait' };
  for (const piece of pieces) {
    expect(step.kind).toBe('wait');
    step = READ.lend(piece, (chunk) => handshake.feed(chunk));
  }
  return step;
}

describe('ClientHandshake, step by step', () => {
  it('greets, authenticates, asks and is done', () => {
    const handshake = new ClientHandshake([Method.none, Method.password], credentials);
    expect(hex(handshake.greet())).toBe('05020002');
    const step = handshake.feed(bytes('0502'));
    expect(step.kind === 'write' && hex(step.write)).toBe(PASSWORD_FRAME);
    expect(handshake.phase).toBe('authentication');
    expect(handshake.feed(bytes('0100'))).toEqual({ kind: 'ready' });
    expect(handshake.method).toBe(Method.password);
    expect(hex(handshake.request(target))).toBe(REQUEST_FRAME);
    expect(handshake.feed(bytes('0500000100000000000061'))).toMatchObject({ kind: 'done', rest: bytes('61') });
  });

  it.each([
    ['0501', 'SOCKS5.METHOD_NOT_OFFERED', 'GSSAPI, which was not offered'],
    ['0502', 'SOCKS5.METHOD_NOT_OFFERED', 'a password that was not offered'],
    ['05ff', 'SOCKS5.METHOD_REFUSED', 'no method'],
    ['0400', 'SOCKS5.PROTOCOL', 'SOCKS4'],
    ['4854', 'SOCKS5.PROTOCOL', 'HTTP'],
    ['050000', 'SOCKS5.PROTOCOL', 'a byte too many'],
  ])('refuses the choice %s with %s (%s)', (answer, code) => {
    expect(failure(() => stepwise().feed(bytes(answer)))).toMatchObject({ code });
  });

  it('fails on the first byte of a wrong version, without waiting for a second', () => {
    expect(failure(() => stepwise().feed(bytes('48')))).toMatchObject({ code: 'SOCKS5.PROTOCOL', phase: 'method' });
  });

  it.each([
    ['SSH-2.0-OpenSSH_9.2\r\n', 'SSH'],
    ['HTTP/1.1 400 Bad Request\r\n', 'HTTP'],
    ['220 ftp.example\r\n', undefined],
  ])('recognizes the protocol of a server that begins with %j: %s', (greeting, protocol) => {
    expect(failure(() => stepwise().feed(Buffer.from(greeting)))).toMatchObject({
      code: 'SOCKS5.PROTOCOL',
      phase: 'method',
      protocol,
    });
    expect(failure(() => requested().feed(Buffer.from(greeting))).protocol).toBeUndefined();
  });

  it.each([
    ['0100', undefined],
    ['0500', undefined],
    ['0101', 'SOCKS5.CREDENTIALS_REFUSED'],
    ['01ff', 'SOCKS5.CREDENTIALS_REFUSED'],
    ['0200', 'SOCKS5.PROTOCOL'],
    ['010000', 'SOCKS5.PROTOCOL'],
  ])('reads the answer %s to the credentials as %s', (answer, code) => {
    const handshake = stepwise([Method.password]);
    handshake.feed(bytes('0502'));
    if (code === undefined) {
      expect(handshake.feed(bytes(answer))).toEqual({ kind: 'ready' });
    } else {
      expect(failure(() => handshake.feed(bytes(answer)))).toMatchObject({ code });
    }
  });

  it('refuses bytes that arrive while it is ready, because nothing was requested', () => {
    const handshake = stepwise();
    handshake.feed(bytes('0500'));
    expect(failure(() => handshake.feed(bytes('05')))).toMatchObject({ code: 'SOCKS5.PROTOCOL' });
  });

  it('returns all 255 failing reply codes unchanged, from two bytes on', () => {
    for (let code = 1; code < 256; code += 1) {
      const reply = encodeReply(code);
      for (let length = 2; length <= reply.length; length += 1) {
        const handshake = requested();
        expect(failure(() => handshake.feed(reply.subarray(0, length)))).toMatchObject({
          code: 'SOCKS5.REPLY',
          phase: 'request',
          replyCode: code,
        });
      }
    }
  });

  it('accepts a success only with its complete address, of a valid type', () => {
    for (let type = 0; type < 256; type += 1) {
      const known = type === 1 || type === 3 || type === 4;
      const handshake = requested();
      const act = (): ClientStep => handshake.feed(Uint8Array.of(5, 0, 0, type));
      expect(known ? act().kind : failure(act).code).toBe(known ? 'wait' : 'SOCKS5.PROTOCOL');
    }
  });

  it('refuses a reply of another version', () => {
    expect(failure(() => requested().feed(bytes('0400')))).toMatchObject({ code: 'SOCKS5.PROTOCOL' });
  });

  it('sends nothing before it is started and nothing after it is done', () => {
    expect(failure(() => new ClientHandshake([Method.none]).feed(bytes('05'))).code).toBe('SOCKS5.PROTOCOL');
    const handshake = requested();
    handshake.feed(encodeReply(Reply.succeeded));
    expect(failure(() => handshake.feed(bytes('05'))).code).toBe('SOCKS5.PROTOCOL');
  });

  it('refuses to offer a password it does not have', () => {
    expect(failure(() => new ClientHandshake([Method.password])).code).toBe('SOCKS5.INVALID_CREDENTIALS');
  });
});

describe('ClientHandshake, in one flight', () => {
  function flight(method: AuthMethod): ClientHandshake {
    const handshake = new ClientHandshake([method], credentials);
    handshake.oneFlight(target);
    return handshake;
  }

  it('sends greeting and request together, with the credentials between when they are the method', () => {
    const plain = new ClientHandshake([Method.none]);
    expect(hex(plain.oneFlight(target))).toBe(`050100${REQUEST_FRAME}`);
    const secret = new ClientHandshake([Method.password], credentials);
    expect(hex(secret.oneFlight(target))).toBe(`050102${PASSWORD_FRAME}${REQUEST_FRAME}`);
  });

  it('fails with what the server refused first', () => {
    expect(failure(() => flight(Method.none).feed(bytes('05ff'))).code).toBe('SOCKS5.METHOD_REFUSED');
    expect(failure(() => flight(Method.password).feed(bytes('0500'))).code).toBe('SOCKS5.METHOD_NOT_OFFERED');
    expect(failure(() => flight(Method.password).feed(bytes('05020101'))).code).toBe('SOCKS5.CREDENTIALS_REFUSED');
    expect(failure(() => flight(Method.password).feed(bytes('050201000505')))).toMatchObject({ replyCode: 5 });
  });

  it.each([
    ['no authentication', Method.none, '0500'],
    ['user name and password', Method.password, '05020100'],
  ] as const)('is done however the answers are split, with the rest whole (%s)', (_name, method, preface) => {
    const bound = fc.record({ host: fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()), port: fc.nat(65_534) });
    fc.assert(
      fc.property(bound, fc.uint8Array({ maxLength: 30 }), fc.array(fc.nat(400)), ({ host, port }, rest, cuts) => {
        const boundTarget = parseSocks5Target(host, port + 1);
        const all = Buffer.concat([bytes(preface), encodeReply(Reply.succeeded, boundTarget), rest]);
        const end = all.length - rest.length;
        // What comes behind the reply may come with it or later, so the last cut is inside the handshake.
        const at = [...new Set(cuts.filter((cut) => cut > 0 && cut < end))].sort((a, b) => a - b);
        const pieces = [0, ...at].map((start, index) => all.subarray(start, at[index]));
        expect(feedAll(flight(method), pieces)).toEqual({ kind: 'done', rest });
      }),
    );
  });

  it('is done split at every single boundary and byte by byte', () => {
    const all = Buffer.concat([bytes('0500'), encodeReply(Reply.succeeded), bytes('616263')]);
    for (let cut = 1; cut < all.length - 3; cut += 1) {
      const step = feedAll(flight(Method.none), [all.subarray(0, cut), all.subarray(cut)]);
      expect(step).toMatchObject({ kind: 'done', rest: bytes('616263') });
    }
    const single = Array.from(all.subarray(0, -3), (byte) => Uint8Array.of(byte));
    expect(feedAll(flight(Method.none), single)).toMatchObject({ kind: 'done', rest: new Uint8Array(0) });
  });

  it('ends every conversation of random bytes in a step or in one of its errors', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 }), (chunks) => {
        const handshake = flight(Method.none);
        try {
          for (const chunk of chunks) {
            if (handshake.feed(chunk).kind === 'done') return;
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Socks5Error);
        }
      }),
    );
  });
});
