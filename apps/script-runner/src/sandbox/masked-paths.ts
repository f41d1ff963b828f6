/**
 * What a sandbox does not see of /proc, /sys and /dev: the engine's own list (naming one replaces it), and
 * `/dev/mqueue`, where anyone may leave a message queue for the next.
 */
export const MASKED_PATHS = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
  '/dev/mqueue',
];
