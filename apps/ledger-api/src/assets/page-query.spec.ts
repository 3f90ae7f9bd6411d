import { pageToken, parsePageQuery } from './page-query.js';

describe('parsePageQuery', () => {
  it('means the whole list when there is no query', () => {
    expect(parsePageQuery({})).toBeUndefined();
  });

  it.each([
    [{ limit: '1' }, { limit: 1, after: '' }],
    [{ limit: '1000' }, { limit: 1000, after: '' }],
    [{ limit: '0010' }, { limit: 10, after: '' }],
    [{ after: pageToken('asset1') }, { limit: 100, after: 'asset1' }],
    [
      { limit: '5', after: pageToken('ünïcode/🚀') },
      { limit: 5, after: 'ünïcode/🚀' },
    ],
  ])('reads %j', (query, page) => {
    expect(parsePageQuery(query)).toEqual(page);
  });

  it.each([
    { limit: '0' },
    { limit: '1001' },
    { limit: '-1' },
    { limit: '1.5' },
    { limit: '1e2' },
    { limit: ' 5' },
    { limit: '' },
    { limit: '99999999999999999999' },
    { limit: ['1', '2'] },
    { after: '' },
    { after: '!!!' },
    { after: 'YXNzZXQx=' },
    { after: 'YXNzZXQy_w' },
    { after: 'YR' },
    { after: ['YQ', 'YQ'] },
    { limt: '5' },
    { limit: '5', page: '2' },
    { __proto__x: '1' },
  ])('refuses %j', (query) => {
    expect(() => parsePageQuery(query)).toThrow(/query parameter/);
  });
});
