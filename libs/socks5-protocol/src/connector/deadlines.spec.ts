import { jest } from '@jest/globals';
import { Deadlines, type Deadline } from './deadlines.js';

class Named implements Deadline {
  next: Deadline | undefined;
  previous: Deadline | undefined;
  list: Deadlines | undefined;
  due = 0;
  readonly #onExpire: (deadline: Named) => void;

  constructor(onExpire: (deadline: Named) => void) {
    this.#onExpire = onExpire;
  }

  expire(): void {
    this.#onExpire(this);
  }
}

let expired: string[];
const named = (name: string) => new Named(() => expired.push(name));

beforeEach(() => {
  expired = [];
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('Deadlines', () => {
  it('has one list for each length', () => {
    expect(Deadlines.of(70)).toBe(Deadlines.of(70));
    expect(Deadlines.of(70)).not.toBe(Deadlines.of(71));
  });

  it('lets them expire in the order in which they began, each when it is due and no earlier', () => {
    const list = Deadlines.of(100);
    list.begin(named('first'));
    jest.advanceTimersByTime(30);
    list.begin(named('second'));
    list.begin(named('third'));
    jest.advanceTimersByTime(69);
    expect(expired).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(expired).toEqual(['first']);
    jest.advanceTimersByTime(29);
    expect(expired).toEqual(['first']);
    jest.advanceTimersByTime(2);
    expect(expired).toEqual(['first', 'second', 'third']);
  });

  it('keeps several lengths apart', () => {
    Deadlines.of(200).begin(named('long'));
    Deadlines.of(50).begin(named('short'));
    jest.advanceTimersByTime(50);
    expect(expired).toEqual(['short']);
    jest.advanceTimersByTime(150);
    expect(expired).toEqual(['short', 'long']);
  });

  it.each([
    ['the first', 0],
    ['one in the middle', 1],
    ['the last', 2],
  ])('forgets %s when it has ended, and no other', (_, ended) => {
    const list = Deadlines.of(100);
    const all = ['a', 'b', 'c'].map(named);
    for (const deadline of all) list.begin(deadline);
    Deadlines.end(all[ended]!);
    expect(all[ended]!.list).toBeUndefined();
    list.begin(named('d'));
    jest.advanceTimersByTime(101);
    expect(expired).toEqual(['a', 'b', 'c', 'd'].filter((_name, index) => index !== ended));
  });

  it('sees nothing odd in an end without a beginning, or a second one', () => {
    const deadline = named('never');
    Deadlines.end(deadline);
    Deadlines.of(100).begin(deadline);
    Deadlines.end(deadline);
    Deadlines.end(deadline);
    jest.advanceTimersByTime(1000);
    expect(expired).toEqual([]);
  });

  it('begins anew what has begun already, also with another length', () => {
    const deadline = named('moved');
    Deadlines.of(100).begin(deadline);
    jest.advanceTimersByTime(60);
    Deadlines.of(100).begin(deadline);
    jest.advanceTimersByTime(60);
    expect(expired).toEqual([]);
    Deadlines.of(30).begin(deadline);
    jest.advanceTimersByTime(31);
    expect(expired).toEqual(['moved']);
    jest.advanceTimersByTime(1000);
    expect(expired).toEqual(['moved']);
  });

  it('takes one that begins again while it expires', () => {
    const list = Deadlines.of(100);
    let times = 0;
    const again = new Named((deadline) => {
      times += 1;
      if (times < 3) list.begin(deadline);
    });
    list.begin(again);
    list.begin(named('beside'));
    jest.advanceTimersByTime(101);
    expect([times, expired]).toEqual([1, ['beside']]);
    jest.advanceTimersByTime(1000);
    expect([times, again.list]).toEqual([3, undefined]);
  });

  it('lets one end another that is due at the same time', () => {
    const list = Deadlines.of(100);
    const other = named('other');
    list.begin(
      new Named(() => {
        Deadlines.end(other);
      }),
    );
    list.begin(other);
    jest.advanceTimersByTime(1000);
    expect(expired).toEqual([]);
  });
});
