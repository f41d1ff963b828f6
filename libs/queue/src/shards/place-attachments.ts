import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import {
  digestOfFile,
  extendAttachments as extend,
  readAttachments as read,
  storeAttachments as store,
} from '../files/attachments.js';

/** Stores each file of a submission in the shard of its digest: its invocation has no shard yet, and other submissions may have the same file. */
export const storeAttachments: typeof store = async (queues, tenant, files, delayMs) => {
  const { shards } = queues;
  if (!shards) return store(queues, tenant, files, delayMs);
  const stored = files.map((file) => {
    const [place = queues] = shards.placesOf(tenant, digestOfFile(file.bytes));
    return store(place, tenant, [file], delayMs);
  });
  return (await Promise.all(stored)).flat();
};

/** Extends the expiry of each file wherever it may be stored. */
export const extendAttachments: typeof extend = async (queues, { tenant, attachments = [] }, waitMs) => {
  const { shards } = queues;
  if (!shards) return extend(queues, { tenant, attachments }, waitMs);
  await Promise.all(
    attachments.flatMap((attachment) =>
      shards
        .placesOf(tenant, attachment.sha256)
        .map((place) => extend(place, { tenant, attachments: [attachment] }, waitMs)),
    ),
  );
};

/** Reads the bytes of attachments, also of those that were stored before a growth. */
export const readAttachments: typeof read = async (queues, tenant, attachments) => {
  const { shards } = queues;
  if (!shards) return read(queues, tenant, attachments);
  const contents = attachments.map(async (attachment) => {
    const { sha256 } = attachment;
    const exists = ({ redis }: Queues) => redis.exists(keysOf(redis).attachment(tenant, sha256));
    return read(await shards.find(tenant, sha256, exists), tenant, [attachment]);
  });
  return (await Promise.all(contents)).flat();
};
