import { allowingRule, Denials, refusalText } from './denials.js';

const from = (host: string, port = 443) => ({
  target: { host, port },
  client: { remoteAddress: '127.0.0.1', user: 'ci' },
});

describe('Denials', () => {
  it('list a target once, however it is written, with what would allow it', () => {
    let now = Date.UTC(2026, 0, 31);
    const denials = new Denials(() => (now += 1000));
    for (const host of ['0x7f.1', '127.0.0.1', '::ffff:127.0.0.1']) denials.add(from(host), undefined);
    expect(denials.list('work')).toEqual([
      {
        target: '127.0.0.1:443',
        ...{ rule: null, rule_text: null, count: 3, client: '127.0.0.1', user: 'ci' },
        first_at: '2026-01-31T00:00:01.000Z',
        last_at: '2026-01-31T00:00:03.000Z',
        command: 'proxy-client allow 127.0.0.1:443 --for 1h',
        allowing_rule: '{ hosts: ["127.0.0.1"], ports: [443], to: "work" }',
      },
    ]);
    expect(denials.byDefault).toBe(3);
  });

  it('name no command where only a change of the rules helps', () => {
    const denials = new Denials();
    denials.add(from('ads.example'), { number: 2, text: 'hosts ads.example to reject' });
    denials.add(from('a~b'), undefined);
    expect(denials.list('work')).toMatchObject([
      { target: 'a~b:443', command: null, allowing_rule: null },
      { rule: 2, command: null, allowing_rule: '{ hosts: ["ads.example"], ports: [443], to: "work" }' },
    ]);
    expect(denials.byDefault).toBe(1);
  });

  it('list the last 200 targets, the newest first', () => {
    const denials = new Denials();
    for (let number = 0; number < 1000; number += 1) denials.add(from(`h${number}.example`), undefined);
    denials.add(from('h900.example'), undefined);
    const targets = denials.list('work').map(({ target }) => target);
    expect([targets.length, targets[0], targets[1], targets.at(-1)]).toEqual([
      ...[200, 'h900.example:443', 'h999.example:443', 'h800.example:443'],
    ]);
  });
});

describe('refusalText', () => {
  it('names the rule, or how to ask, in at most 300 bytes', () => {
    expect(refusalText(7)).toContain('rule 7');
    expect(refusalText(undefined, 'a.example:443')).toContain('proxy-client allow a.example:443 --for 1h');
    for (const length of [1, 10, 50, 60, 70, 100, 250]) {
      const text = `${refusalText(undefined, `${'a'.repeat(length)}:65535`)}\n`;
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(300);
      expect(text).toContain('proxy-client allow');
    }
    expect(refusalText(undefined)).toContain('default: reject');
  });
});

it('writes a rule that YAML reads as it is', () => {
  expect(allowingRule('[::1]:80', 'work: 1')).toBe('{ hosts: ["[::1]"], ports: [80], to: "work: 1" }');
});
