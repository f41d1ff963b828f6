import { roomForHalf, roomForLabels } from './axis-room.js';

const measure = (text: string) => text.length * 6;

describe('The room for the labels of a chart', () => {
  it('The widest label fits', () => {
    expect(roomForLabels(['0 ms', '6 min 40 s', '5 min'], measure)).toBe(72);
    expect(roomForLabels(null, measure)).toBe(12);
  });

  it('A label under the end of the axis fits', () => {
    expect(roomForHalf('02:30 AM', measure)).toBe(26);
  });
});
