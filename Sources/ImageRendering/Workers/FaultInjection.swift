#if DEBUG
  import Glibc
  import SystemIO

  /// Simulates failures in tests: with `IMAGEMILL_TEST_WORKER=ACTION:WORD`, a worker crashes, hangs, computes without end, kills
  /// or stops itself, or tries to leave its sandbox (`crash`, `hang`, `spin`, `kill`, `stop`, `escape`, `execute`, `chroot`),
  /// on sources whose name contains the word. Builds for release don't have it: no environment may crash their workers.
  struct FaultInjection {
    static let variable = "IMAGEMILL_TEST_WORKER"

    let action: String
    let word: String

    static var fromEnvironment: FaultInjection? {
      guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
      let parts = text.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      return FaultInjection(action: String(parts[0]), word: String(parts[1]))
    }

    /// Tries what a compromised decoder would try, and crashes with the names of the attempts that succeeded.
    private func escape(_ request: RenderRequest) {
      var limit = rlimit()
      let attempts: [(String, () -> Bool)] = [
        ("socket", { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
        ("local socket", { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
        ("change the mode", { self.changeMode(for: request) }),
        ("signal the parent", { kill(getppid(), 0) == 0 }),
        ("signal everyone", { kill(-1, 0) == 0 }),
        (
          "have the kernel signal the parent",
          { fcntl(WorkerMain.socketDescriptor, F_SETOWN, getppid()) == 0 }
        ),
        (
          "change the priority of the parent",
          { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getppid()), 0) == 0 }
        ),
        ("change the user", { setuid(getuid()) == 0 }),
        ("run a program", { system("true") == 0 }),
        ("make a file of 1 TiB", { self.makeLargeFile(for: request) }),
        (
          "leave a core",
          { getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) != 0 || limit.rlim_cur != 0 }
        ),
        ("share a session", { getsid(0) == getsid(getppid()) }),
      ]
      let escapes = (attempts + fileAttempts(request)).filter { $0.1() }.map(\.0)
      guard escapes.isEmpty else {
        let text = Array("escaped: \(escapes.joined(separator: ", "))\n".utf8)
        write(STDERR_FILENO, text, text.count)
        abort()
      }
    }

    /// What it would try with files: those that it may not reach, and ways out of its directory. The words of the source's
    /// name that begin with a slash are paths of other jobs.
    private func fileAttempts(_ request: RenderRequest) -> [(String, () -> Bool)] {
      let directory = DirectoryEntry(request.recipes.first?.temporaryPath ?? "").directory
      let (own, outside) = ("\(directory)/escape", "\(directory)/../escape-\(getpid())")
      func opens(_ path: String, _ flags: Int32) -> Bool {
        let file = open(path, flags, 0o600)
        defer { if file >= 0 { close(file) } }
        return file >= 0
      }
      func making(_ body: () -> Bool) -> Bool {
        guard opens(own, O_WRONLY | O_CREAT) else { return false }
        defer {
          unlink(own)
          unlink(outside)
        }
        return body()
      }
      var attempts: [(String, () -> Bool)] = [
        ("open /etc/passwd", { opens("/etc/passwd", O_RDONLY) }),
        ("list the root", { opens("/", O_RDONLY | O_DIRECTORY) }),
        (
          "list the home directory",
          { opens(getenv("HOME").map { String(cString: $0) } ?? "/root", O_RDONLY) }
        ),
        ("list the directory of other workers", { opens("\(directory)/../..", O_RDONLY | O_DIRECTORY) }),
        ("open the parent's memory", { opens("/proc/\(getppid())/mem", O_RDONLY) }),
        ("open the parent's environment", { opens("/proc/\(getppid())/environ", O_RDONLY) }),
        ("list the parent's files", { opens("/proc/\(getppid())/fd", O_RDONLY | O_DIRECTORY) }),
        ("open the root by the process's directory", { opens("/proc/self/root/etc/passwd", O_RDONLY) }),
        ("open the parent's root", { opens("/proc/\(getppid())/root/etc/passwd", O_RDONLY) }),
        ("create a file outside", { making { opens(outside, O_WRONLY | O_CREAT) } }),
        ("create a file in /tmp", { making { opens("/tmp/escape-\(getpid())", O_WRONLY | O_CREAT) } }),
        (
          "follow a symbolic link",
          { making { unlink(own) == 0 && symlink("/etc/passwd", own) == 0 && opens(own, O_RDONLY) } }
        ),
        ("link a file in", { making { unlink(own) == 0 && link("/etc/passwd", own) == 0 } }),
        ("link a file out", { making { link(own, outside) == 0 } }),
        ("move a file out", { making { rename(own, outside) == 0 } }),
        ("make a socket", { mknod(own, S_IFSOCK | 0o600, 0) == 0 && unlink(own) == 0 }),
        ("make a pipe", { mkfifo(own, 0o600) == 0 && unlink(own) == 0 }),
        ("make a directory", { mkdir(own, 0o700) == 0 && rmdir(own) == 0 }),
        ("use a device", { opens("/dev/tty", O_RDWR) || opens("/dev/mem", O_RDONLY) }),
      ]
      if case .descriptor(let number) = request.source {
        attempts.append(("open the source again", { opens("/proc/self/fd/\(number)", O_RDONLY) }))
        attempts.append(("write to the source", { write(number, "x", 1) == 1 || ftruncate(number, 0) == 0 }))
      }
      for path in request.sourceName.split(separator: " ").map(String.init) where path.hasPrefix("/") {
        attempts.append(("read \(path)", { opens(path, O_RDONLY) }))
        attempts.append(("write \(path)", { opens(path, O_WRONLY) }))
        attempts.append(("truncate \(path)", { truncate(path, 0) == 0 }))
        attempts.append(("remove \(path)", { unlink(path) == 0 }))
      }
      return attempts
    }

    private func changeMode(for request: RenderRequest) -> Bool {
      guard let path = request.recipes.first?.temporaryPath else { return false }
      let file = open(path, O_WRONLY | O_CREAT, 0o600)
      defer { if file >= 0 { close(file) } }
      return file >= 0 && chmod(path, 0o777) == 0
    }

    private func makeLargeFile(for request: RenderRequest) -> Bool {
      guard let path = request.recipes.first?.temporaryPath else { return false }
      let file = open(path, O_WRONLY | O_CREAT, 0o600)
      guard file >= 0 else { return false }
      defer { close(file) }
      return ftruncate(file, 1 << 40) == 0
    }

    private func execute() {
      let arguments = [strdup("true"), nil]
      execv("/bin/true", arguments)
    }

    func act(on request: RenderRequest) {
      guard request.sourceName.contains(word) else { return }
      switch action {
      case "crash": abort()
      case "hang": while true { pause() }
      case "spin": while time(nil) != 0 {}
      case "kill": kill(getpid(), SIGKILL)
      case "stop": kill(getpid(), SIGSTOP)
      case "escape": escape(request)
      case "execute": execute()
      case "chroot": chroot("/")
      default: return
      }
    }
  }
#endif
