import {
  addPrioritizedJob,
  addStandardJob,
  moveStalledJobsToWait,
  moveToActive,
  moveToFinished,
  retryJob,
} from 'bullmq/dist/cjs/scripts/index.js';
import packageJson from '../../../../package.json';
import { CHECKED_VERSION, requireCheckedBullmq } from './version.js';

it('The installed version of BullMQ is the one that was checked', () => {
  expect(() => requireCheckedBullmq()).not.toThrow();
  expect(packageJson.dependencies.bullmq).toBe(CHECKED_VERSION);
});

it('Another version of BullMQ is refused with a message that says how to upgrade', () => {
  expect(() => requireCheckedBullmq('6.8.0')).toThrow(/BullMQ 6\.8\.0 is installed.*6\.7\.0.*bullmq\/README\.md/);
});

it('The scripts of BullMQ take the KEYS and ARGV that Errand adds its own to', () => {
  const countOf = (content: string) =>
    Math.max(...[...content.matchAll(/ARGV\[(\d+)\]/g)].map(([, number]) => Number(number)));
  expect([moveToFinished.keys, countOf(moveToFinished.content)]).toEqual([14, 9]);
  expect([moveToActive.keys, countOf(moveToActive.content)]).toEqual([11, 3]);
  expect([retryJob.keys, countOf(retryJob.content)]).toEqual([11, 6]);
  expect([addStandardJob.keys, countOf(addStandardJob.content)]).toEqual([9, 3]);
  expect([addPrioritizedJob.keys, countOf(addPrioritizedJob.content)]).toEqual([9, 3]);
  expect([moveStalledJobsToWait.keys, countOf(moveStalledJobsToWait.content)]).toEqual([9, 4]);
});
