import { SECCOMP_PROFILE } from './seccomp-profile.js';

interface Rule {
  names: string[];
  action: string;
  args?: unknown[];
}

const { defaultAction, syscalls }: { defaultAction: string; syscalls: Rule[] } = JSON.parse(SECCOMP_PROFILE);
const allowed = (name: string) =>
  syscalls.filter((rule) => rule.action === 'SCMP_ACT_ALLOW' && rule.names.includes(name));

describe('SECCOMP_PROFILE', () => {
  it('The seccomp profile refuses calls that it does not name', () => {
    expect(defaultAction).toBe('SCMP_ACT_ERRNO');
  });

  // The list is written out, so that a change that allows one of these calls must also change this test.
  it.each([
    'mount umount2 pivot_root chroot setns unshare open_by_handle_at name_to_handle_at fsopen move_mount open_tree',
    'ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise',
    'bpf perf_event_open userfaultfd io_uring_setup vmsplice fanotify_init fanotify_mark syslog quotactl acct',
    'init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff settimeofday clock_settime clock_adjtime adjtimex',
    'add_key keyctl request_key shmget shmat semget msgget mq_open memfd_create memfd_secret setxattr fsetxattr',
    'modify_ldt iopl ioperm mbind set_mempolicy move_pages migrate_pages lookup_dcookie sethostname setdomainname clone3',
  ])('The seccomp profile does not allow %s', (names) => {
    for (const name of names.split(' ')) expect(allowed(name)).toEqual([]);
  });

  it.each(['clone', 'socket', 'personality', 'prlimit64', 'setpriority', 'ioprio_set', 'sched_setaffinity', 'fcntl'])(
    'The seccomp profile allows %s only with some arguments',
    (name) => {
      expect(allowed(name).length).toBeGreaterThan(0);
      for (const { args } of allowed(name)) expect(args).not.toHaveLength(0);
    },
  );

  it('The seccomp profile names no call twice without arguments', () => {
    const names = syscalls.filter(({ args }) => !args).flatMap((rule) => rule.names);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
