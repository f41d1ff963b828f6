import { Seats } from './seats.js';

describe('The semaphore for slots', () => {
  it('The semaphore grants no more slots than it has', () => {
    const seats = new Seats(2);
    expect([seats.tryTake(), seats.tryTake(), seats.tryTake()]).toEqual([true, true, false]);
    seats.give();
    expect([seats.tryTake(), seats.tryTake()]).toEqual([true, false]);
  });

  it('A released slot goes to the longest waiter before any new request', async () => {
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
