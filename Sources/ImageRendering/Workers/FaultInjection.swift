#if DEBUG
  import Glibc

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
        ("change the mode", { chmod(request.sourcePath, 0o777) == 0 }),
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
      let escapes = attempts.filter { $0.1() }.map(\.0)
      guard escapes.isEmpty else {
        let text = Array("escaped: \(escapes.joined(separator: ", "))\n".utf8)
        write(STDERR_FILENO, text, text.count)
        abort()
      }
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
