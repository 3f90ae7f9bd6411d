import { hasSecret, loggedUrl, withoutSecrets } from './secrets.js';

const KEY = `lk_abcdefgh_${'A1z'.repeat(16)}9`;
const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

describe('hasSecret', () => {
  it.each([
    `/?x=${KEY}`,
    `/assets/${KEY}`,
    `/?x=%6ck_abcdefgh_${'A'.repeat(49)}`,
    `/?token=${TOKEN}`,
    '/?access_token=x',
    '/?ACCESS-TOKEN=x',
    '/?a=1&api_key=',
    '/?X-API-Key=x',
    '/?apikey=x',
    '/?authorization=Bearer+x',
    '/?%61pi_key=x',
    `/%zz?x=${KEY}`,
    '/?x=%zz&api%5fkey=x',
    `/?x=%ff&y=lk%5Fabcdefgh%5F${'A'.repeat(49)}`,
    '/?a=1;access_token=x',
    '/#access_token=x',
  ])('is true for %s', (url) => {
    expect(hasSecret(url)).toBe(true);
  });

  it.each([
    '/',
    '/assets?limit=10&after=YQ',
    '/assets/lk_short',
    '/assets/api_key=x',
    '/?key=1',
    '/?monkey_token=1',
    '/%zz',
  ])('is false for %s', (url) => {
    expect(hasSecret(url)).toBe(false);
  });
});

describe('defect: a URL of repeated token starts stalled the server', () => {
  // A search in quadratic time would take many minutes for these. Much longer texts overflow V8's stack for regular expressions.
  const repeats = 200_000;

  it.each([
    ['token starts', 'eyJ'.repeat(repeats), false],
    ['token starts with dots', 'eyJeyJeyJeyJ.'.repeat(repeats), true],
    ['empty parts', `eyJhbGciOiJ9${'.'.repeat(repeats)}`, false],
    ['percent-encoded token starts', '%65%79%4a'.repeat(repeats), false],
    ['key starts', 'lk_abcdefgh_'.repeat(repeats), false],
    ['parameter starts', '?access_api-key'.repeat(repeats), false],
  ])('searches %s in linear time', (_, text, isSecret) => {
    expect([hasSecret(`/${text}`), loggedUrl(`/${text}`).includes('***')]).toEqual([isSecret, isSecret]);
  });
});

describe('loggedUrl', () => {
  it.each([
    ['/api/v1/assets?after=YQ', '/api/v1/assets'],
    ['/a%20b', '/a%20b'],
    [`/assets/${KEY}/x?y=${KEY}`, '/assets/***/x'],
    [`/%6ck_abcdefgh_${'A'.repeat(49)}`, '/***'],
    [`http://x/${TOKEN}`, 'http://x/***'],
  ])('of %s is %s', (url, logged) => {
    expect(loggedUrl(url)).toBe(logged);
  });
});

it('masks a token that other characters precede or follow', () => {
  expect(withoutSecrets(`x_${TOKEN}`)).toBe('x_***');
  expect(withoutSecrets(`a.b.${TOKEN}.c.d e`)).toBe('a.b.*** e');
});

it('masks every one of several', () => {
  expect(withoutSecrets(`${KEY}, "${TOKEN}" and ${KEY}.`)).toBe('***, "***" and ***.');
});
