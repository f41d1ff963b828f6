import { HeardRequests } from './heard-requests.js';

describe('Cancel requests that a process has heard', () => {
  it('A job may have a request until the process hears all requests', () => {
    const requests = new HeardRequests();
    expect(requests.mayHave('job', 5)).toBe(true);
    requests.beginAt(10);
    expect([requests.mayHave('job', 10), requests.mayHave('job', 11)]).toEqual([true, false]);
  });

  it('A job may have a request that was heard before its run begins, and other jobs have none', () => {
    const requests = new HeardRequests();
    requests.beginAt(10);
    requests.note('job', 20);
    expect([requests.mayHave('job', 15), requests.mayHave('other', 15)]).toEqual([true, false]);
  });

  it('A lost connection makes each job a suspect that was asked for before the new subscription', () => {
    const requests = new HeardRequests();
    requests.beginAt(10);
    requests.beginAt(30);
    expect([requests.mayHave('job', 20), requests.mayHave('job', 31)]).toEqual([true, false]);
  });

  it('A forgotten request makes each job a suspect that was asked for before it', () => {
    const requests = new HeardRequests(2);
    requests.beginAt(10);
    for (const at of [20, 21, 22, 23]) requests.note(`job ${at}`, at);
    expect(requests.mayHave('job 23', 30)).toBe(true);
    expect([requests.mayHave('job 20', 19), requests.mayHave('another', 21)]).toEqual([true, true]);
    expect(requests.mayHave('another', 22)).toBe(false);
  });

  it('A request that is heard again counts as a new one', () => {
    const requests = new HeardRequests(2);
    requests.beginAt(10);
    for (const [id, at] of [
      ['one', 20],
      ['two', 21],
      ['one', 22],
      ['three', 23],
    ] as const)
      requests.note(id, at);
    expect(requests.mayHave('one', 30)).toBe(true);
    expect(requests.mayHave('another', 21)).toBe(true);
    expect(requests.mayHave('another', 22)).toBe(false);
  });
});
