import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContractError, parseContractError } from '#contract-kit';
import { assetText, canonicalAsset, encodeAsset, encodeList, encodePage, readAsset, readPage } from './asset.js';
import { ASSET_ERROR_CODES } from './rules.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('readAsset', () => {
  it('turns the numbers and capitalised keys of the stock chaincode into text', () => {
    expect(readAsset(bytes('{"AppraisedValue":1000,"Color":"blue","ID":"k","Owner":"Tom","Size":8.5}'))).toEqual({
      ID: 'k',
      appraisedValue: '1000',
      color: 'blue',
      owner: 'Tom',
      size: '8.5',
    });
  });

  it('keeps all digits of the integers that Go chaincode stores, beyond 2^53 too', () => {
    const stored = (value: string) => bytes(`{"ID":"k","AppraisedValue":${value},"Size":-9223372036854775808}`);
    expect(readAsset(stored('9007199254740993'))).toMatchObject({
      appraisedValue: '9007199254740993',
      size: '-9223372036854775808',
    });
    // Else two states would have one ETag.
    expect(assetText(stored('9007199254740993'))).not.toBe(assetText(stored('9007199254740992')));
  });

  it('returns the empty text for missing and null fields (the stock chaincode stores Infinity as null)', () => {
    expect(readAsset(bytes('{"ID":"k","Size":null,"color":true}'))).toEqual({
      ID: 'k',
      appraisedValue: '',
      color: 'true',
      owner: '',
      size: '',
    });
  });

  it('prefers the keys of this contract', () => {
    expect(readAsset(bytes('{"ID":"k","color":"new","Color":"old"}'))?.color).toBe('new');
  });

  it.each([
    '',
    'null',
    '7',
    '"ID"',
    '[]',
    '{}',
    '{"id":"k"}',
    '{"ID":{}}',
    '{"ID":"k","color":[1]}',
    '{"ID":"k"',
    `{"ID":"k","color":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ])('refuses %.40s', (text) => {
    expect(readAsset(bytes(text))).toBeUndefined();
    expect(() => assetText(bytes(text))).toThrow(
      new ContractError('NOT_AN_ASSET', 'the stored record is not an asset'),
    );
  });

  it('refuses bytes that are not UTF-8', () => {
    const broken = bytes('{"ID":"k?"}');
    broken[8] = 0xff;
    expect(readAsset(broken)).toBeUndefined();
  });
});

describe('canonicalAsset', () => {
  const canonical = '{"ID":"k","appraisedValue":"1","color":"blue","owner":"Tom","size":"5"}';

  it('returns the same array if it is already canonical', () => {
    const stored = bytes(canonical);
    expect(canonicalAsset(stored)).toBe(stored);
  });

  it.each([
    ['spaces', canonical.replace(':', ': ')],
    ['something behind it', `${canonical} `],
    ['another key behind', canonical.replace('}', ',"docType":"asset"}')],
    ['numbers', canonical.replace('"5"', '5')],
    ['needless escapes', canonical.replace('blue', '\\u0062lue')],
  ])('re-encodes a record with %s', (_, stored) => {
    expect(canonicalAsset(bytes(stored))).toEqual(bytes(canonical));
  });

  it.each(['a"b', 'a\\b', 'ä🚀', '\u007f', 'a\tb'])('keeps the bytes of %j', (owner) => {
    const stored = encodeAsset({ ID: 'k', appraisedValue: '1', color: 'c', owner, size: '5' });
    expect(canonicalAsset(stored)).toEqual(stored);
  });

  it('returns undefined for framed bytes that are not UTF-8', () => {
    const broken = bytes(canonical);
    broken[7] = 0xff;
    expect(canonicalAsset(broken)).toBeUndefined();
  });

  it('returns undefined for what is cut off or not an asset', () => {
    for (let length = 0; length < canonical.length; length++) {
      expect(canonicalAsset(bytes(canonical.slice(0, length)))).toBeUndefined();
    }
  });
});

describe('assetText', () => {
  const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
  const assets = fc.record({ ID: text, appraisedValue: text, color: text, owner: text, size: text });

  it('returns JSON of the same asset for any content of its fields, in its stored form', () => {
    fc.assert(
      fc.property(assets, (value) => {
        expect(JSON.parse(assetText(encodeAsset(value)))).toEqual(value);
        expect(bytes(assetText(encodeAsset(value)))).toEqual(encodeAsset(value));
      }),
    );
  });

  it('returns the samples’ records in our stored form', () => {
    expect(assetText(bytes('{"AppraisedValue":300,"Color":"c","ID":"a","Owner":"o","Size":7,"docType":"asset"}'))).toBe(
      '{"ID":"a","appraisedValue":"300","color":"c","owner":"o","size":"7"}',
    );
  });
});

describe('lists and pages', () => {
  it('are read back unchanged for any content of the assets and the bookmark', () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
    const hostile = fc.oneof(text, fc.constantFrom('],"bookmark":', '"],"bookmark":""}', '{"assets":[', '\\'));
    const records = fc.array(fc.record({ ID: hostile, owner: hostile }).map((value) => bytes(JSON.stringify(value))));
    fc.assert(
      fc.property(records, hostile, (list, bookmark) => {
        const page = readPage(encodePage(list, bookmark));
        expect(page.bookmark).toBe(bookmark);
        expect(page.array).toEqual(encodeList(list));
      }),
    );
  });

  it.each([
    '',
    'null',
    '[]',
    '{"assets":[]}',
    '{"bookmark":""}',
    '{"assets":],"bookmark":""}',
    '{"assets":[,"bookmark":""}',
    '{"assets":,"bookmark":""}',
    ' {"assets":[],"bookmark":""}',
    '{"assets":[],"bookmark":7}',
    '{"assets":[],"bookmark":""',
  ])('are not %j', (text) => {
    expect(() => readPage(bytes(text))).toThrow();
  });

  it('are not what is no UTF-8', () => {
    const page = bytes('{"assets":[{"ID":"x"}],"bookmark":""}');
    page[18] = 0xff;
    expect(() => readPage(page)).toThrow(TypeError);
  });
});

describe('parseContractError', () => {
  it('reads back every refusal', () => {
    for (const code of [
      'ASSET_NOT_FOUND',
      'ASSET_EXISTS',
      'INVALID_ARGUMENT',
      'FUNCTION_UNKNOWN',
      'NOT_AN_ASSET',
    ] as const) {
      const parsed = parseContractError(new ContractError(code, 'ASSET_EXISTS: why: \n ').message, ASSET_ERROR_CODES);
      expect(parsed).toMatchObject({ name: 'ContractError', code, reason: 'ASSET_EXISTS: why: \n ' });
    }
  });

  it.each(['The asset ASSET_EXISTS: x does not exist', 'ASSET_EXISTS', 'asset_exists: x', '', 'OTHER: x'])(
    'leaves %j alone',
    (text) => {
      expect(parseContractError(text, ASSET_ERROR_CODES)).toBeUndefined();
    },
  );
});
