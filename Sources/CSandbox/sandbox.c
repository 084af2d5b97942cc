#define _GNU_SOURCE  // CLONE_THREAD.
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

static int error_of(int status) { return status == 0 ? 0 : errno; }

int csandbox_isolate(void) {
  // A core file would have the images, and the decoder's bytes, wherever the kernel puts it.
  struct rlimit none = {0, 0};
  int error = error_of(setrlimit(RLIMIT_CORE, &none));
  // Other processes of the user, such as other workers, can't read or change this one's memory. No core file either
  // where a program takes it, which no limit prevents.
  if (!error) error = error_of(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
  if (!error) error = error_of(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
  if (!error) error = error_of(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  return error;
}

#ifdef NATIVE

// Newer than the headers of some supported systems. The numbers are the same on all architectures.
#ifndef __NR_process_mrelease
#define __NR_process_mrelease 448
#endif
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif
// mseal. Nothing is known of later calls: programs do without them, as on an earlier kernel.
#define LAST_KNOWN 462

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

#define JUMP(test, value, then, otherwise) BPF_JUMP(BPF_JMP | test | BPF_K, (value), then, otherwise)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
// The lower half of an argument; both architectures are little-endian. The kernel ignores the upper half of all arguments
// that are compared here.
#define ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (n)))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

// Each of these takes the call's number in the accumulator, and leaves it there for other calls.
// What a library may try and do without.
#define REFUSE(name) JUMP(BPF_JEQ, __NR_##name, 0, 1), FAIL(EPERM)
// What only an attacker calls.
#define FORBID(name) JUMP(BPF_JEQ, __NR_##name, 0, 1), KILL
#define REFUSE_UNLESS(name, n, value) \
  JUMP(BPF_JEQ, __NR_##name, 0, 4), ARGUMENT(n), JUMP(BPF_JEQ, (value), 0, 1), ALLOW, FAIL(EPERM)
#define REFUSE_TWO(name, n, first, second)                                                                \
  JUMP(BPF_JEQ, __NR_##name, 0, 5), ARGUMENT(n), JUMP(BPF_JEQ, (first), 1, 0), JUMP(BPF_JEQ, (second), 0, 1), \
      FAIL(EPERM), ALLOW

int csandbox_has_filter(void) {
  // A filter without a program is refused for its address only if the kernel has filters.
  return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL) < 0 && errno == EFAULT;
}

int csandbox_filter(void) {
  uint32_t self = (uint32_t)getpid();
  struct sock_filter program[] = {
      LOAD(arch),
      JUMP(BPF_JEQ, NATIVE, 1, 0),
      KILL,
      LOAD(nr),
      // Also refuses the numbers of x32, which stand for the same calls.
      JUMP(BPF_JGT, LAST_KNOWN, 0, 1),
      FAIL(ENOSYS),
      // The network, and sockets of other processes. The C library looks for a name service by a socket, and reads files
      // without. Data are sent on sockets that are connected already.
      REFUSE(socket),
      REFUSE(connect),
      REFUSE(bind),
      REFUSE(listen),
      REFUSE(accept),
      REFUSE(accept4),
      REFUSE(io_uring_setup),
      // Other programs. The C library retries clone3(2), whose flags can't be seen, as clone(2).
      FORBID(execve),
      FORBID(execveat),
#ifdef __NR_fork
      REFUSE(fork),
      REFUSE(vfork),
#endif
      JUMP(BPF_JEQ, __NR_clone3, 0, 1),
      FAIL(ENOSYS),
      JUMP(BPF_JEQ, __NR_clone, 0, 5),
      ARGUMENT(0),
      JUMP(BPF_JSET, NAMESPACES, 2, 0),
      JUMP(BPF_JSET, CLONE_THREAD, 0, 1),
      ALLOW,
      FAIL(EPERM),
      // Other processes: signals, also by way of a descriptor's owner, their memory, limits and shared objects.
      REFUSE_UNLESS(kill, 0, self),
      REFUSE_UNLESS(tgkill, 0, self),
      REFUSE_UNLESS(rt_sigqueueinfo, 0, self),
      REFUSE_UNLESS(rt_tgsigqueueinfo, 0, self),
      REFUSE(tkill),
      REFUSE_TWO(fcntl, 1, F_SETOWN, F_SETOWN_EX),
      REFUSE_UNLESS(prlimit64, 0, 0),
      REFUSE(setpriority),
      REFUSE(ioprio_set),
      REFUSE(kcmp),
      REFUSE(pidfd_open),
      REFUSE(pidfd_send_signal),
      REFUSE(process_madvise),
      REFUSE(process_mrelease),
      REFUSE(migrate_pages),
      REFUSE(move_pages),
      FORBID(ptrace),
      FORBID(process_vm_readv),
      FORBID(process_vm_writev),
      FORBID(pidfd_getfd),
      REFUSE(shmget),
      REFUSE(shmat),
      REFUSE(shmctl),
      REFUSE(semget),
      REFUSE(semop),
      REFUSE(semtimedop),
      REFUSE(semctl),
      REFUSE(msgget),
      REFUSE(msgsnd),
      REFUSE(msgrcv),
      REFUSE(msgctl),
      REFUSE(mq_open),
      REFUSE(mq_unlink),
      // What csandbox_isolate has set. A change of the user would clear the signal at the parent's end.
      REFUSE_TWO(prctl, 0, PR_SET_PDEATHSIG, PR_SET_DUMPABLE),
      REFUSE(setuid),
      REFUSE(setgid),
      REFUSE(setreuid),
      REFUSE(setregid),
      REFUSE(setresuid),
      REFUSE(setresgid),
      REFUSE(setfsuid),
      REFUSE(setfsgid),
      REFUSE(setgroups),
      REFUSE(capset),
      // Namespaces and mounts.
      FORBID(unshare),
      FORBID(setns),
      FORBID(mount),
      FORBID(umount2),
      FORBID(pivot_root),
      FORBID(chroot),
      FORBID(open_by_handle_at),
      FORBID(open_tree),
      FORBID(move_mount),
      FORBID(fsopen),
      FORBID(fsconfig),
      FORBID(fsmount),
      FORBID(fspick),
      FORBID(mount_setattr),
      // The attributes of files.
      REFUSE(fchmod),
      REFUSE(fchmodat),
      REFUSE(fchmodat2),
      REFUSE(fchown),
      REFUSE(fchownat),
      REFUSE(setxattr),
      REFUSE(lsetxattr),
      REFUSE(fsetxattr),
      REFUSE(removexattr),
      REFUSE(lremovexattr),
      REFUSE(fremovexattr),
      REFUSE(utimensat),
      // By path. Rules for files have it only since their third version.
      REFUSE(truncate),
#ifdef __x86_64__
      REFUSE(chmod),
      REFUSE(chown),
      REFUSE(lchown),
      REFUSE(utime),
      REFUSE(utimes),
      REFUSE(futimesat),
      FORBID(iopl),
      FORBID(ioperm),
      FORBID(modify_ldt),
#endif
      // The kernel.
      FORBID(bpf),
      FORBID(add_key),
      FORBID(request_key),
      FORBID(keyctl),
      FORBID(init_module),
      FORBID(finit_module),
      FORBID(delete_module),
      FORBID(kexec_load),
      FORBID(kexec_file_load),
      FORBID(reboot),
      FORBID(swapon),
      FORBID(swapoff),
      FORBID(acct),
      FORBID(sethostname),
      FORBID(setdomainname),
      FORBID(settimeofday),
      FORBID(clock_settime),
      REFUSE(perf_event_open),
      REFUSE(userfaultfd),
      REFUSE(quotactl),
      REFUSE(quotactl_fd),
      REFUSE(syslog),
      REFUSE(clock_adjtime),
      REFUSE(adjtimex),
      REFUSE(fanotify_init),
      REFUSE(personality),
      // Input pushed to a terminal.
      REFUSE_TWO(ioctl, 1, TIOCSTI, TIOCLINUX),
      ALLOW,
  };
  struct sock_fprog filter = {.len = sizeof program / sizeof program[0], .filter = program};
  // All threads: a library may have started one when it was loaded.
  long status = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
  return status == 0 ? 0 : status < 0 ? errno : EBUSY;
}

#else

int csandbox_has_filter(void) { return 0; }
int csandbox_filter(void) { return EOPNOTSUPP; }

#endif
