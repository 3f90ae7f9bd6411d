import { welcome } from './launcher.js';

const LEDGER = ['ledger-api', { http: 'http://127.0.0.1:3000/api/v1' }] as const;
const PROXY = ['proxy-client', { proxy: 'http://127.0.0.1:8080', admin: 'http://127.0.0.1:9090' }] as const;

describe('welcome', () => {
  it('is the same whichever program was ready first', () => {
    const text = welcome(new Map<string, Record<string, string>>([LEDGER, PROXY]));
    expect(welcome(new Map<string, Record<string, string>>([PROXY, LEDGER]))).toBe(text);
    expect(text.split('\n').slice(1, 5)).toEqual([
      'Ready:',
      '  ledger-api    http   http://127.0.0.1:3000/api/v1',
      '  proxy-client  proxy  http://127.0.0.1:8080',
      '                admin  http://127.0.0.1:9090',
    ]);
    expect(text).toContain('curl -x http://127.0.0.1:8080 http://127.0.0.1:3000/api/v1/health');
  });
});
