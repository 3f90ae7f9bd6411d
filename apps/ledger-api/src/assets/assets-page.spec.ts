import * as fc from 'fast-check';
import { readAssetsPage } from './assets-page.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('readAssetsPage', () => {
  it('gives the assets as they stand, whatever they and the bookmark hold', () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
    const hostile = fc.oneof(text, fc.constantFrom('],"bookmark":', '"],"bookmark":""}', '{"assets":[', '\\'));
    const assets = fc.array(fc.record({ ID: hostile, owner: hostile }));
    fc.assert(
      fc.property(assets, hostile, (list, bookmark) => {
        const page = readAssetsPage(bytes(JSON.stringify({ assets: list, bookmark })));
        expect(page.bookmark).toBe(bookmark);
        expect(Buffer.from(page.array).toString()).toBe(JSON.stringify(list));
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
  ])('refuses %j', (text) => {
    expect(() => readAssetsPage(bytes(text))).toThrow();
  });

  it('refuses bytes that are no UTF-8', () => {
    const page = bytes('{"assets":[{"ID":"x"}],"bookmark":""}');
    page[18] = 0xff;
    expect(() => readAssetsPage(page)).toThrow();
  });
});
