import { Seats } from './seats.js';

describe('seats', () => {
  it('are as many as there are', () => {
    const seats = new Seats(2);
    expect([seats.tryTake(), seats.tryTake(), seats.tryTake()]).toEqual([true, true, false]);
    seats.give();
    expect([seats.tryTake(), seats.tryTake()]).toEqual([true, false]);
  });

  it('are given to who has waited longest, before anybody new', async () => {
    const seats = new Seats(1);
    await seats.take();
    const seated: string[] = [];
    const take = async (who: string) => {
      await seats.take();
      seated.push(who);
    };
    const all = [take('first'), take('second')];
    seats.give();
    expect(seats.tryTake()).toBe(false);
    await all[0];
    expect(seated).toEqual(['first']);
    seats.give();
    await all[1];
    expect(seated).toEqual(['first', 'second']);
    seats.give();
    expect(seats.tryTake()).toBe(true);
  });
});
