import { ContentionQueue } from './contention-queue.js';

describe('ContentionQueue', () => {
  let queue: ContentionQueue;
  let admitted: string[];
  beforeEach(() => {
    queue = new ContentionQueue();
    admitted = [];
  });
  const enter = async (name: string, keys: ReadonlySet<string>): Promise<void> => {
    await queue.enter(keys);
    admitted.push(name);
  };
  /** Lets the calls continue that were admitted. */
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('admits calls with a common key one by one, in their order, and others at once', async () => {
    const [a, b, ab] = [new Set(['a']), new Set(['b']), new Set(['a', 'b'])];
    void enter('a', a);
    void enter('ab', ab);
    // It would be free, but "ab" waits for it too and would wait forever behind such calls.
    void enter('b', b);
    void enter('c', new Set(['c']));
    await turn();
    expect(admitted).toEqual(['a', 'c']);
    expect(queue.contended(['a', 'b', 'c', 'd'])).toEqual(['a', 'c']);
    queue.leave(a);
    await turn();
    expect(admitted).toEqual(['a', 'c', 'ab']);
    queue.leave(ab);
    await turn();
    expect(admitted).toEqual(['a', 'c', 'ab', 'b']);
  });

  it('has no contended keys when all calls have left', async () => {
    const keys = new Set(['a']);
    await queue.enter(keys);
    queue.leave(keys);
    expect(queue.contended(['a'])).toEqual([]);
  });
});
