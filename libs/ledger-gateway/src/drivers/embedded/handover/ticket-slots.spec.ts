import { TicketSlots } from './ticket-slots.js';

describe('TicketSlots', () => {
  it('gives out a ticket again only when it was given back', () => {
    const slots = new TicketSlots<string>();
    const [first, second] = [slots.open('a'), slots.open('b')];
    expect(first).not.toBe(second);
    expect([slots.get(first), slots.get(second), slots.size]).toEqual(['a', 'b', 2]);

    expect(slots.close(first)).toBe('a');
    expect(slots.close(first)).toBeUndefined();
    expect([slots.get(first), slots.size]).toEqual([undefined, 1]);
    expect(slots.open('c')).toBe(first);
    expect(slots.open('d')).not.toBe(second);
    expect(slots.size).toBe(3);
  });

  it('knows nothing of tickets that were never out', () => {
    const slots = new TicketSlots<string>();
    expect([slots.get(7), slots.close(7), slots.size]).toEqual([undefined, undefined, 0]);
  });

  it('takes all back at once', () => {
    const slots = new TicketSlots<string>();
    slots.close(slots.open('a'));
    slots.open('b');
    slots.open('c');
    expect(slots.closeAll()).toEqual(['b', 'c']);
    expect([slots.size, slots.closeAll()]).toEqual([0, []]);
    expect(slots.get(slots.open('d'))).toBe('d');
  });
});
