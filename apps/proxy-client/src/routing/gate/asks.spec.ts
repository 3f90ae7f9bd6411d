import { jest } from '@jest/globals';
import { Asks, type AskLimits, type AskParts } from './asks.js';
import { Grants, LONGEST_GRANT_MS, MAX_GRANTS } from './grants.js';

const SECOND = 1000;
const LIMITS: AskLimits = {
  timeout: 30 * SECOND,
  waiting: 3,
  waitingPerClient: 2,
  questions: 2,
  refusedFor: 300 * SECOND,
};

const request = (host: string, remoteAddress = '192.0.2.1', port = 443) => ({
  target: { host, port },
  client: { remoteAddress, user: 'ci' },
});
type Request = ReturnType<typeof request>;

/** Questions whose answers, and what their requests are told, are recorded. */
function open(limits: Partial<AskLimits> = {}, parts: Partial<AskParts> = {}) {
  const grants: Grants = new Grants({
    added: (_, by) => {
      asks.granted(by);
    },
    ended: () => undefined,
  });
  const ended: unknown[] = [];
  const asked: string[] = [];
  const asks: Asks = new Asks({
    ...{ grants, settings: () => ({ ...LIMITS, ...limits }), isAttended: () => true },
    asked: ({ target }) => asked.push(target),
    ended: ({ id }, outcome, by) => ended.push([id, outcome, by]),
    ...parts,
  });
  /** Lets a request wait; returns what became of it. */
  const wait = (query: Request, rule?: number) => {
    const seen: string[] = [];
    const leave = asks.wait(query, rule, {
      routed: () => seen.push('routed'),
      refused: ({ reason, grant }) => seen.push(`${reason} ${grant ?? ''}`),
    });
    return { seen, leave };
  };
  return { asks, grants, asked, ended, wait };
}

const YES = { answer: 'yes', for: 'once' } as const;
const NO = { answer: 'no', for: 'once' } as const;

beforeEach(() => jest.useFakeTimers({ now: Date.UTC(2026, 0, 31) }));
afterEach(() => jest.useRealTimers());

describe('a question', () => {
  it('is shared by all requests for a target, in every spelling, and outlives them', () => {
    const { asks, asked, wait } = open();
    const first = wait(request('A.example.'), 2);
    const second = wait(request('a.example', '192.0.2.2'));
    expect(asked).toEqual(['a.example:443']);
    first.leave();
    second.leave();
    expect(asks.waiting).toBe(0);
    expect(asks.list()).toEqual([
      {
        ...{ id: '1', target: 'a.example:443', rule: 2, waiting: 0, requests: 2, client: '192.0.2.1', user: 'ci' },
        ...{ asked_at: '2026-01-31T00:00:00.000Z', until: '2026-01-31T00:00:30.000Z' },
        command: 'proxy-client allow a.example:443 --for 1h',
      },
    ]);
    expect(asks.answer('1', YES, 'me')).toMatchObject({ question: { id: '1' } });
    expect([...first.seen, ...second.seen, asks.counts.yes]).toEqual([1]);
  });

  it('lets its requests continue after a yes, which is a grant for the time that was given', () => {
    for (const [time, milliseconds] of [
      ['once', 60 * SECOND],
      ['day', LONGEST_GRANT_MS],
      [5 * SECOND, 5 * SECOND],
    ] as const) {
      const { asks, grants, ended, wait } = open();
      const { seen } = wait(request('a.example'));
      asks.answer('1', { answer: 'yes', for: time }, 'me');
      expect([seen, ended, asks.list()]).toEqual([['routed'], [['1', 'yes', 'me']], []]);
      const [grant] = grants.list();
      expect(Date.parse(grant?.until ?? '') - Date.parse(grant?.since ?? '')).toBe(milliseconds);
      grants.close();
    }
  });

  it('refuses its requests after a no, and later ones for as long as the no is remembered', () => {
    const { asks, wait } = open();
    const { seen } = wait(request('a.example'));
    asks.answer('1', NO, 'me');
    expect(seen).toEqual(['no a.example:443']);
    jest.advanceTimersByTime(LIMITS.refusedFor - 1);
    expect(asks.refusal(request('A.EXAMPLE'))).toEqual({ reason: 'no', grant: 'a.example:443' });
    expect(asks.refusal(request('a.example', '192.0.2.1', 80))).toBeUndefined();
    jest.advanceTimersByTime(2);
    expect(asks.refusal(request('a.example'))).toBeUndefined();
  });

  it('remembers no refusal if refusedFor is 0, and the last 1,000 otherwise', () => {
    const forgetful = open({ refusedFor: 0 });
    forgetful.wait(request('a.example'));
    forgetful.asks.answer('1', NO, 'me');
    expect(forgetful.asks.refusal(request('a.example'))).toBeUndefined();
    const { asks, wait } = open();
    for (let index = 1; index <= 1001; index += 1) {
      wait(request(`h${index}.example`));
      asks.answer(String(index), NO, 'me');
    }
    expect(asks.refusal(request('h1.example'))).toBeUndefined();
    expect(asks.refusal(request('h2.example'))?.reason).toBe('no');
    expect(asks.answer('1', YES, 'me')).toBe('unknown');
  });

  it('expires, and the next request asks again', () => {
    const { asks, asked, ended, wait } = open();
    const { seen } = wait(request('a.example'));
    jest.advanceTimersByTime(LIMITS.timeout);
    expect([seen, ended, asks.counts.expired]).toEqual([
      ['unanswered a.example:443'],
      [['1', 'expired', undefined]],
      1,
    ]);
    expect(asks.answer('1', YES, 'me')).toEqual({ conflict: 'This question has ended: expired.' });
    wait(request('a.example'));
    expect([asked.length, asks.list()[0]?.id]).toEqual([2, '2']);
  });

  it('has one answer: the second one is a conflict', () => {
    const { asks, wait } = open();
    wait(request('a.example'));
    asks.answer('1', YES, 'ana');
    expect(asks.answer('1', NO, 'bo')).toEqual({ conflict: 'This question has ended: yes, by ana.' });
    expect(asks.answer('2', NO, 'bo')).toBe('unknown');
  });

  it('is answered by any grant that covers it', () => {
    const { asks, grants, ended, wait } = open();
    const { seen } = wait(request('a.b.example'));
    const other = wait(request('c.example'));
    grants.add({ host: '*.b.example', port: 443 }, SECOND, 'allow');
    expect([seen, other.seen, ended]).toEqual([['routed'], [], [['1', 'yes', 'allow']]]);
    expect(asks.list()).toHaveLength(1);
  });
});

describe('an answer with a host', () => {
  it.each(['a.b.example', 'A.B.example.', '*.b.example', '*.example'])('may be %s', (host) => {
    const { asks, wait } = open();
    const { seen } = wait(request('a.b.example'));
    expect(asks.answer('1', { ...YES, host }, 'me')).toHaveProperty('question');
    expect(seen).toEqual(['routed']);
  });

  it.each(['*', 'b.example', '*.a.b.example', '*.c.example', '+.b.example', 'a.b.example:80', '127.0.0.1', '', ' '])(
    'must cover the host of the question: %j does not',
    (host) => {
      const { asks, grants, wait } = open();
      const { seen } = wait(request('a.b.example'));
      expect(asks.answer('1', { ...YES, host }, 'me')).toHaveProperty('invalid');
      expect([seen, grants.list()]).toEqual([[], []]);
    },
  );
});

describe('a yes for good', () => {
  it('writes a rule for what was allowed', () => {
    const written: unknown[] = [];
    const { asks, wait } = open({}, { writeRule: (...rule) => void written.push(rule) });
    wait(request('a.b.example'), 3);
    asks.answer('1', { answer: 'yes', for: 'always', host: '*.b.example' }, 'me');
    wait(request('2001:db8::1'));
    asks.answer('2', { answer: 'yes', for: 'always' }, 'me');
    expect(written).toEqual([
      ['*.b.example:443', 3],
      ['[2001:db8::1]:443', undefined],
    ]);
  });

  it('allows nothing if the rule cannot be written', () => {
    for (const [parts, reason] of [
      [{}, 'the configuration is not in a file'],
      [{ writeRule: () => 'the disk is full' }, 'the disk is full'],
    ] as const) {
      const { asks, grants, wait } = open({}, parts);
      const { seen } = wait(request('a.example'));
      const conflict = { conflict: `The rule cannot be written: ${reason}.` };
      expect(asks.answer('1', { answer: 'yes', for: 'always' }, 'me')).toEqual(conflict);
      expect([seen, grants.list(), asks.list().length]).toEqual([[], [], 1]);
    }
  });

  it('leaves the question open if there are too many grants', () => {
    const { asks, grants, wait } = open();
    for (let index = 0; index < MAX_GRANTS; index += 1) grants.add({ host: `h${index}`, port: 1 }, SECOND, 'me');
    const { seen } = wait(request('a.example'));
    expect(asks.answer('1', YES, 'me')).toEqual({ conflict: 'There are too many grants.' });
    expect([seen, asks.list().length]).toEqual([[], 1]);
  });
});

describe('a request that may not wait', () => {
  it('is refused if no one can answer', () => {
    const { asks } = open({}, { isAttended: () => false });
    expect(asks.refusal(request('a.example'))).toEqual({ reason: 'unattended', grant: 'a.example:443' });
  });

  it.each(['a~b', 'a b.example', 'x'.repeat(300), 'a\u001b[31m.example', '*', ''])(
    'is refused if no grant could allow it: %j',
    (host) => {
      expect(open().asks.refusal(request(host))).toEqual({ reason: 'default' });
    },
  );

  it('is refused if too many wait: of its client, in all, or about other targets', () => {
    const { asks, wait } = open();
    const { leave } = wait(request('a.example'));
    wait(request('a.example'));
    expect(asks.refusal(request('a.example'))?.reason).toBe('busy');
    expect(asks.refusal(request('a.example', '192.0.2.2'))).toBeUndefined();
    wait(request('b.example', '192.0.2.2'));
    expect(asks.refusal(request('a.example', '192.0.2.3'))?.reason).toBe('busy');
    leave();
    expect(asks.refusal(request('a.example', '192.0.2.3'))).toBeUndefined();
    // Two questions are open.
    expect(asks.refusal(request('c.example', '192.0.2.3'))?.reason).toBe('busy');
  });

  it('is refused when the proxy closes, which ends all questions without counting them', () => {
    const { asks, ended, wait } = open();
    const { seen } = wait(request('a.example'));
    asks.close();
    expect([seen, ended]).toEqual([['unanswered a.example:443'], [['1', 'closed', undefined]]]);
    expect(asks.refusal(request('a.example'))?.reason).toBe('busy');
    expect(asks.counts).toEqual({ asked: 1, yes: 0, no: 0, expired: 0 });
  });
});
