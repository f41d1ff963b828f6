/**
 * What a sandbox does not see of /proc, /sys and /dev: the engine's own list (naming one replaces it); `/dev/mqueue`, where anyone may
 * leave a message queue for the next; and the memory of the container's init, which belongs to the script's user and, unlike the
 * supervisors, may be written by it where the kernel has no Yama: what is written there outlives every process of a run.
 */
export const MASKED_PATHS = [
  '/proc/1/mem',
  '/proc/1/task/1/mem',
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
