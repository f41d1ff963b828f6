/**
 * The system calls that a sandbox may make. The list of allowed calls follows Docker's default profile (moby,
 * profiles/seccomp/default.json) and is stricter. It also refuses:
 *
 * - calls whose effects outlive the process: System V and POSIX queues, semaphores, shared memory, extended attributes;
 * - calls that reach another process: ptrace, process_vm_*, and limits, priorities and CPU sets of other processes;
 * - programs without a file (memfd);
 * - interfaces with a history of security holes that no script needs: io_uring, vmsplice, userfaultfd, sockets other
 *   than local and IP, and netlink beyond the query for the own addresses.
 */

const EPERM = 1;
const ENOSYS = 38;
const ENOTSUP = 95;
const NAMESPACES = 0x7e020000;
const F_SETPIPE_SZ = 1031;
/** Local, IPv4, IPv6. */
const SOCKET_FAMILIES = [1, 2, 10];
/** Libraries read the addresses of this host with this netlink protocol. Other protocols reach other parts of the kernel. */
const NETLINK = { family: 16, route: 0 };
const PERSONALITIES = [0x0, 0x0008, 0x20000, 0x20008, 0xffffffff];

/** The allowed calls, grouped by topic. */
const ALLOWED = `
  read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek _llseek sendfile sendfile64 splice tee copy_file_range
  open openat openat2 creat close close_range dup dup2 dup3 pipe pipe2 ioctl flock fsync fdatasync sync syncfs sync_file_range
  stat stat64 lstat lstat64 fstat fstat64 fstatat64 newfstatat statx statfs statfs64 fstatfs fstatfs64 access faccessat faccessat2
  getcwd chdir fchdir mkdir mkdirat rmdir rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat readlink readlinkat
  chmod fchmod fchmodat fchmodat2 chown chown32 fchown fchown32 fchownat lchown lchown32 umask truncate truncate64 ftruncate ftruncate64
  fallocate fadvise64 fadvise64_64 readahead getdents getdents64 utime utimes utimensat utimensat_time64 futimesat mknod mknodat
  getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr inotify_init inotify_init1 inotify_add_watch inotify_rm_watch
  brk mmap mmap2 munmap mremap mprotect madvise mincore msync mlock mlock2 mlockall munlock munlockall membarrier
  pkey_alloc pkey_free pkey_mprotect
  fork vfork execve execveat exit exit_group wait4 waitid waitpid prctl arch_prctl set_tid_address set_robust_list get_robust_list
  rseq futex futex_time64 futex_waitv futex_wait futex_wake futex_requeue set_thread_area get_thread_area set_tls cacheflush
  kill tkill tgkill rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
  rt_sigtimedwait_time64 rt_tgsigqueueinfo sigaltstack sigprocmask sigreturn signalfd signalfd4 restart_syscall pause alarm
  pidfd_open pidfd_send_signal
  getpid getppid gettid getpgid getpgrp setpgid getsid setsid getuid getuid32 geteuid geteuid32 getgid getgid32 getegid getegid32
  getresuid getresuid32 getresgid getresgid32 getgroups getgroups32 capget capset
  setuid setuid32 setgid setgid32 setgroups setgroups32 setreuid setregid setresuid setresuid32 setresgid setresgid32 setfsuid setfsgid
  getrlimit ugetrlimit setrlimit getrusage getpriority ioprio_get times sysinfo uname getcpu seccomp
  sched_yield sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
  sched_rr_get_interval sched_rr_get_interval_time64 landlock_create_ruleset landlock_add_rule landlock_restrict_self
  time gettimeofday clock_gettime clock_gettime64 clock_getres clock_getres_time64 clock_nanosleep clock_nanosleep_time64 nanosleep
  getitimer setitimer timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64 timer_settime timer_settime64
  timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64
  select _newselect pselect6 pselect6_time64 poll ppoll ppoll_time64 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait
  epoll_pwait2 eventfd eventfd2 io_setup io_submit io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64
  socketpair bind listen accept accept4 connect shutdown getsockname getpeername getsockopt setsockopt send sendto sendmsg sendmmsg
  recv recvfrom recvmsg recvmmsg recvmmsg_time64 getrandom`;

/** Calls that a process may make only for itself (pid 0). The value is the index of the pid argument. */
const OF_ONESELF: Readonly<Record<string, number>> = {
  prlimit64: 0,
  sched_setaffinity: 0,
  sched_setattr: 0,
  sched_setparam: 0,
  sched_setscheduler: 0,
};

type Comparison = 'SCMP_CMP_EQ' | 'SCMP_CMP_NE' | 'SCMP_CMP_MASKED_EQ';

const words = (text: string) => text.trim().split(/\s+/);
const argument = (index: number, value: number, op: Comparison = 'SCMP_CMP_EQ') => ({ index, value, op });
const allow = (names: string[], ...args: ReturnType<typeof argument>[]) => ({
  names,
  action: 'SCMP_ACT_ALLOW',
  ...(args.length > 0 && { args }),
});
/** Refuses calls with a code after which libraries use another call. After EPERM they would give up. */
const refuse = (errnoRet: number, names: string) => ({ names: words(names), action: 'SCMP_ACT_ERRNO', errnoRet });

/** The profile as JSON, as Docker expects it. */
export const SECCOMP_PROFILE = JSON.stringify({
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: EPERM,
  archMap: [
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
  ],
  syscalls: [
    allow(words(ALLOWED)),
    allow(['clone'], argument(0, NAMESPACES, 'SCMP_CMP_MASKED_EQ')),
    allow(['fcntl', 'fcntl64'], argument(1, F_SETPIPE_SZ, 'SCMP_CMP_NE')),
    ...SOCKET_FAMILIES.map((family) => allow(['socket'], argument(0, family))),
    allow(['socket'], argument(0, NETLINK.family), argument(2, NETLINK.route)),
    ...PERSONALITIES.map((persona) => allow(['personality'], argument(0, persona))),
    ...Object.entries(OF_ONESELF).map(([name, index]) => allow([name], argument(index, 0))),
    allow(['setpriority'], argument(0, 0), argument(1, 0)),
    allow(['ioprio_set'], argument(0, 1), argument(1, 0)),
    refuse(ENOSYS, 'clone3 memfd_create io_uring_setup io_uring_enter io_uring_register'),
    refuse(ENOTSUP, 'setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr'),
  ],
});
