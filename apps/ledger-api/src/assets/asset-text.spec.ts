import * as fc from 'fast-check';
import { encodeAsset } from '#asset-contract';
import { assetText } from './asset-text.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const asset = { ID: 'a', appraisedValue: '1', color: 'c', owner: 'o', size: 's' };

describe('assetText', () => {
  it('passes on the form of this contract as it is', () => {
    expect(assetText(encodeAsset(asset))).toBe(JSON.stringify(asset));
  });

  it.each([
    '{"ID":"a","Color":"c","Size":7,"Owner":"o","AppraisedValue":300}',
    '{"AppraisedValue":300,"Color":"c","ID":"a","Owner":"o","Size":7,"docType":"asset"}',
    '{"ID":"a","appraisedValue":"300","color":"c","owner":"o","size":"7","docType":"asset"}',
    ' {"ID": "a", "appraisedValue": "300", "color": "c", "owner": "o", "size": "7"}',
  ])('rewrites %s', (text) => {
    expect(JSON.parse(assetText(bytes(text)))).toEqual({
      ID: 'a',
      appraisedValue: '300',
      color: 'c',
      owner: 'o',
      size: '7',
    });
  });

  it('gives valid JSON of the same asset whatever its fields hold', () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
    const assets = fc.record({ ID: text, appraisedValue: text, color: text, owner: text, size: text });
    fc.assert(
      fc.property(assets, (value) => {
        expect(JSON.parse(assetText(encodeAsset(value)))).toEqual(value);
      }),
    );
  });

  it.each(['{"ID":"a","appraisedValue":"1","color":"c\u0001","owner":"o","size":"s"}', 'null', '{}', 'x'])(
    'refuses %j',
    (text) => {
      expect(() => assetText(bytes(text))).toThrow();
    },
  );
});
