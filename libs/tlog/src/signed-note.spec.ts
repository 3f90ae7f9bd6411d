import { describe, expect, it } from '@jest/globals';
import {
  parseNote,
  parseVerifierKey,
  signaturesBy,
  signatureLine,
  SignatureType,
  verifierKeyText,
} from './signed-note.js';
import { generateKey, isSignedBy, parseSignerKey, signBytes, signerKeyText } from './signing-keys.js';
import { TlogFault } from './text.js';

// The example of https://c2sp.org/signed-note@v1.0.0.
const EXAMPLE_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const EXAMPLE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;

describe('a signed note', () => {
  it('is that of the specification', () => {
    const key = parseVerifierKey(EXAMPLE_KEY);
    const note = parseNote(EXAMPLE);
    const [signature] = signaturesBy(note, key);
    expect(note.text).toBe('This is an example message.\n');
    expect(isSignedBy(key, Buffer.from(note.text), signature!)).toBe(true);
    expect(isSignedBy(key, Buffer.from('This is another message.\n'), signature!)).toBe(false);
    expect(verifierKeyText(key)).toBe(EXAMPLE_KEY);
  });

  it('has the text up to its last empty line', () => {
    const text = 'one\n\ntwo\n';
    const key = generateKey('example.org/log', SignatureType.ED25519);
    const line = signatureLine(key, signBytes(key, Buffer.from(text)));
    const note = parseNote(`${text}\n${line}`);
    expect(note.text).toBe(text);
    expect(note.signatures).toMatchObject([{ name: 'example.org/log', id: key.id, line }]);
  });

  it.each([
    ['nothing', ''],
    ['no signatures', 'text\n'],
    ['no signature line', 'text\n\n'],
    ['no newline at its end', EXAMPLE.slice(0, -1)],
    ['a carriage return', EXAMPLE.replace('.\n', '.\r\n')],
    ['a zero byte', EXAMPLE.replace('.', '\0')],
    ['a hyphen instead of a dash', EXAMPLE.replace('—', '-')],
    ['two spaces', EXAMPLE.replace('— ', '—  ')],
    ['a name with a plus sign', EXAMPLE.replace('com/foo', 'com+foo')],
    ['base64 with a changed last bit', EXAMPLE.replace('aQM=', 'aQN=')],
    ['base64 of a URL', EXAMPLE.replace('Uw2Q', 'Uw-_')],
    ['only the id of a key', EXAMPLE.replace(/Uw2Q\S+/, 'Uw2QOg==')],
    ['more signatures than any log has witnesses', EXAMPLE + `${EXAMPLE.split('\n').at(-2)}\n`.repeat(100)],
  ])('is refused with %s', (_, text) => {
    expect(() => parseNote(text)).toThrow(TlogFault);
  });
});

describe('a key', () => {
  it('is read again from its secret and its public form', () => {
    for (const type of Object.values(SignatureType)) {
      const key = generateKey('witness.example.org/a', type);
      const { seed, ...verifier } = key;
      expect(parseSignerKey(`${signerKeyText(key)}\n`)).toEqual(key);
      expect(parseVerifierKey(verifierKeyText(key))).toEqual(verifier);
      expect(seed).toHaveLength(32);
      const content = Buffer.from('content');
      expect(isSignedBy(verifier, content, signBytes(key, content))).toBe(true);
    }
  });

  it.each([
    ['nothing', ''],
    ['another id', EXAMPLE_KEY.replace('530d903a', '530d903b')],
    ['an id in capitals', EXAMPLE_KEY.replace('530d903a', '530D903A')],
    ['another name', EXAMPLE_KEY.replace('foo', 'bar')],
    ['no name', EXAMPLE_KEY.replace('example.com/foo', '')],
    ['a name with a space', EXAMPLE_KEY.replace('example.com', 'example com')],
    ['another type', 'example.com/foo+530d903a+AukyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'],
    ['fewer bytes', 'example.com/foo+530d903a+Aek='],
    ['no base64', 'example.com/foo+530d903a+***'],
  ])('is refused with %s', (_, text) => {
    expect(() => parseVerifierKey(text)).toThrow(TlogFault);
  });

  it.each([
    ['a public key', () => EXAMPLE_KEY],
    ['fewer bytes', () => 'PRIVATE+KEY+example.com/foo+530d903a+AQAA'],
    ['another id', () => signerKeyText({ ...generateKey('a', SignatureType.ED25519), id: 7 })],
    ['another marker', () => signerKeyText(generateKey('a', SignatureType.ED25519)).replace('KEY', 'KEYS')],
  ])('is no private key when it is %s', (_, text) => {
    expect(() => parseSignerKey(text())).toThrow(TlogFault);
  });
});
