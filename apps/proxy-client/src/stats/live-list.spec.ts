import fc from 'fast-check';
import { LiveList, NOT_LISTED } from './live-list.js';

const member = (name: number) => ({ name, index: NOT_LISTED });

describe('LiveList', () => {
  it('contains what was added and not deleted, as a Set does', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 60 }), (names) => {
        const members = Array.from({ length: 10 }, (_, name) => member(name));
        const list = new LiveList<ReturnType<typeof member>>();
        const set = new Set<number>();
        for (const name of names) {
          if (set.has(name)) expect(list.delete(members[name]!)).toBe(set.delete(name));
          else {
            list.add(members[name]!);
            set.add(name);
          }
          expect(list.size).toBe(set.size);
          expect(new Set([...list].map((each) => each.name))).toEqual(set);
        }
      }),
    );
  });

  it('does not delete an object that is not in it', () => {
    const [list, other] = [new LiveList<ReturnType<typeof member>>(), new LiveList<ReturnType<typeof member>>()];
    const [inside, outside] = [member(1), member(2)];
    list.add(inside);
    other.add(outside);
    expect([list.delete(member(3)), list.delete(outside), list.delete(inside), list.delete(inside)]).toEqual([
      ...[false, false, true, false],
    ]);
    expect([list.size, inside.index, other.size]).toEqual([0, NOT_LISTED, 1]);
  });

  it('iterates over each member once, though iterated ones are removed meanwhile', () => {
    const list = new LiveList<ReturnType<typeof member>>();
    for (let name = 0; name < 5; name += 1) list.add(member(name));
    const seen: number[] = [];
    for (const each of list) {
      seen.push(each.name);
      list.delete(each);
    }
    expect(new Set(seen)).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(seen).toHaveLength(5);
    expect(list.size).toBe(0);
  });

  it('iterates over no member that was removed before its turn', () => {
    const list = new LiveList<ReturnType<typeof member>>();
    const members = [0, 1, 2, 3].map(member);
    for (const each of members) list.add(each);
    const seen: number[] = [];
    for (const each of list) {
      seen.push(each.name);
      for (const other of members.slice(1)) list.delete(other);
    }
    expect(seen).toEqual([3, 0]);
  });
});
